// What a runner that times kernels must know, read from its JSON file: the contestants, and the cubin of the kit's own kernels
// that prepare each launch. It does not say which contestant is the student's.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cuda/blas_library.hpp"

namespace tilelab::cuda {

// A kernel of a cubin. If `library` is not empty, it is a routine of that library.
struct ContestantImage {
  std::vector<char> cubin;
  std::vector<std::string> functions;
  std::string kernel;                        // demangled
  std::string ask_launch;                    // the generated kernel that evaluates the launch function
  std::string library;                       // the file of cuBLAS, for C = A·B
  Arithmetic arithmetic = Arithmetic::fp32;  // of a library's routine
  bool alone = false;                        // in a context of its own: not the course's
};

struct ContestImage {
  std::string driver;
  int device = 0;
  std::vector<char> stage;
  std::vector<ContestantImage> contestants;
};

// Throws std::runtime_error that names the file.
ContestImage load_contest_image(const std::filesystem::path& file);

}  // namespace tilelab::cuda
