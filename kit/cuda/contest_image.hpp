// What a runner that times kernels must know, read from its JSON file: the contestants, and the cubin of the kit's own kernels
// that prepare each launch. Which contestant is the student's is not its affair.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilelab::cuda {

// A kernel of a cubin, or, where `library` is not empty, a routine of that library.
struct ContestantImage {
  std::vector<char> cubin;
  std::vector<std::string> functions;
  std::string kernel;      // demangled
  std::string ask_launch;  // the generated kernel that evaluates the launch function
  std::string library;     // the file of cuBLAS, for C = A·B
};

struct ContestImage {
  std::string driver;
  int device = 0;
  std::vector<char> stage;
  std::vector<ContestantImage> contestants;
};

// Throws std::runtime_error naming the file.
ContestImage load_contest_image(const std::filesystem::path& file);

}  // namespace tilelab::cuda
