// Runs a student's program several times in one process, on a real GPU. Making a context of the GPU takes far longer than most runs, and
// the driver makes one after the other. nvcc links this to the program with `--wrap=main`, so that the C library calls us, and we call the
// program's own main once for each turn that the judge asks for (kit/judge/programs/native_run.hpp). Where the judge asks for nothing,
// the program is what it would be without us. Nothing here is trusted, as it lies in the hostile program.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
int __real_main(int, char**, char**);  // the program's
int cudaDeviceSynchronize();
int cudaGetLastError();
}

namespace {

constexpr std::uint32_t most_bytes = 1 << 16;  // of a turn's arguments

// Before the program makes its context, for which see load_driver() in driver_api.hpp.
[[gnu::constructor(101)]] void ask_for_one_queue() {
  for (const char* queues : {"CUDA_DEVICE_MAX_CONNECTIONS", "CUDA_DEVICE_MAX_COPY_CONNECTIONS"}) setenv(queues, "1", 0);
}

std::jmp_buf in_the_turn;
volatile bool is_in_a_turn = false;

bool is_socket(int file) {
  struct stat about{};
  return fstat(file, &about) == 0 && S_ISSOCK(about.st_mode);
}

// Standard input, moved aside: the program finds an empty one, as it does without us.
int own_channel() {
  if (!is_socket(0)) return -1;
  const int channel = fcntl(0, F_DUPFD_CLOEXEC, 100);
  const int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (channel < 0 || empty < 0 || dup2(empty, 0) < 0) std::_Exit(125);
  close(empty);
  return channel;
}

bool read_all(int channel, void* to, std::size_t bytes) {
  for (char* at = static_cast<char*>(to); bytes != 0;) {
    const ssize_t got = read(channel, at, bytes);
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

// The words of the command line, each with its 0. Nothing where no turn follows.
bool read_words(int channel, std::string& words) {
  std::uint32_t bytes = 0;
  if (!read_all(channel, &bytes, sizeof bytes) || bytes > most_bytes) return false;
  words.resize(bytes);
  return read_all(channel, words.data(), bytes);
}

int run_main(char* name, std::string& words, char** environment) {
  std::vector<char*> argv{name};
  for (std::size_t at = 0; at < words.size(); at += std::string(words.c_str() + at).size() + 1) argv.push_back(words.data() + at);
  argv.push_back(nullptr);
  is_in_a_turn = true;
  const int jumped = setjmp(in_the_turn);  // status + 1, from tilelab_turn_is_over
  const int status = jumped != 0 ? jumped - 1 : __real_main(static_cast<int>(argv.size()) - 1, argv.data(), environment);
  is_in_a_turn = false;
  return status;
}

}  // namespace

// For a launcher, whose call is over and whose results are kept: back to run_main, past frames that are all ours.
extern "C" [[noreturn]] void tilelab_turn_is_over(int status) {
  if (is_in_a_turn) std::longjmp(in_the_turn, status + 1);
  std::fflush(nullptr);
  std::_Exit(status);
}

extern "C" int __wrap_main(int count, char** argv, char** environment) {
  const int channel = own_channel();
  if (channel < 0) return __real_main(count, argv, environment);
  std::string words;
  for (bool is_first = true; read_words(channel, words); is_first = false) {
    // What the turn before left on the GPU is over before this one begins, and a GPU that it broke serves no other.
    if (!is_first && cudaDeviceSynchronize() != 0) std::_Exit(125);
    if (!is_first) cudaGetLastError();  // of a call that failed, which a program of its own would not know of
    const std::int32_t status = run_main(argv[0], words, environment);
    std::fflush(nullptr);
    if (write(channel, &status, sizeof status) != static_cast<ssize_t>(sizeof status)) break;
  }
  std::_Exit(0);
}
