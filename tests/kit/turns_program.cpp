// A program that a judge runs in turns, as MODE says: right in its first turn, and wrong in some way in the next; with "always", in each.
// It stands for a student's that nvcc has linked to kit/gpu/program_turns.cpp, and for CUDA's runtime.
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

int turn = 0;
bool is_broken = false;

void copy(const char* from, const char* to) { std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing); }

void say(const std::string& message) {  // on the judge's channel, which is the first one from 100 on
  if (write(100, message.data(), message.size()) < 0) std::abort();
}

}  // namespace

extern "C" int cudaDeviceSynchronize() { return is_broken ? 700 : 0; }
extern "C" int cudaGetLastError() { return 0; }

int main(int argc, char** argv) {
  if (argc != 3) return 9;
  std::string mode = std::getenv("MODE");
  const bool is_first = ++turn == 1, is_always = mode.rfind("always ", 0) == 0;
  if (is_always) mode.erase(0, 7);
  std::printf("%d %d\n", turn, static_cast<int>(getpid()));
  if (mode == "breaks the GPU") is_broken = true;
  if (mode.rfind("links ", 0) == 0) std::filesystem::create_directory_symlink(mode.substr(6), "link" + std::to_string(turn));
  if (mode == "makes folders") std::filesystem::create_directories("a/b");
  if (mode == "exits") {
    copy(argv[1], argv[2]);
    std::exit(is_first || is_always ? 0 : 4);
  }
  if (is_first && !is_always) {
    copy(argv[1], argv[2]);
    if (mode == "leaves the old") copy(argv[2], "old");
    return 0;
  }
  if (mode == "leaves nothing") return 0;
  if (mode == "crashes") std::abort();
  if (mode == "hangs") pause();
  if (mode == "fails") return 3;
  if (mode == "prints without end")
    for (;;) std::puts("x");
  if (mode == "says too little") {
    say("x");
    return 0;
  }
  if (mode == "says too much") {
    say(std::string(400, 'x'));
    return 0;
  }
  if (mode == "closes the channel") {
    close(100);
    return 0;
  }
  if (mode == "leaves the old") {
    if (std::filesystem::exists("old")) copy("old", argv[2]);
    return 0;
  }
  copy(argv[1], argv[2]);
  return 0;
}
