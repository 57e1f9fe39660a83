// What the builder knows about the submission that a GPU runner is to host, read from its JSON file: where the cubin lies, and
// which of its functions are what.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilelab::cuda {

struct CubinImage {
  std::string driver;  // libcuda's path; empty: by its usual name
  int device = 0;      // as the driver counts
  std::vector<char> cubin;
  std::vector<std::string> functions;  // as the cubin names its kernels, for drivers that cannot list them
  std::string kernel;                  // demangled: "scale(float const*, float*, int)"
  std::string ask_launch;              // the generated kernel that evaluates the launch function; empty: there is none
  std::string poison_shared;           // the generated kernel that fills shared memory; empty: there is none
  bool watched = false;                // by a tool that sees every access: no guard zones, no poison in outputs and shared memory
};

// Both throw std::runtime_error naming the file.
std::vector<char> bytes_of(const std::filesystem::path& file);
CubinImage load_cubin_image(const std::filesystem::path& file);

}  // namespace tilelab::cuda
