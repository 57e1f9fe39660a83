// What the builder knows about the submission that a GPU runner hosts, read from its JSON file: where the cubin lies, and what
// each of its functions is for.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tilelab::cuda {

struct CubinImage {
  std::string driver;  // libcuda's path; empty: its usual name
  int device = 0;      // in the driver's numbering
  std::vector<char> cubin;
  std::vector<std::string> functions;  // the cubin's kernels by name, for drivers that cannot list them
  std::string kernel;                  // demangled: "scale(float const*, float*, int)"
  std::string ask_launch;              // the generated kernel that evaluates the launch function; empty if there is none
  std::string poison_shared;           // the generated kernel that fills shared memory; empty if there is none
  bool watched = false;                // by a tool that sees every access: then no guard zones, and no poison in outputs and shared memory
};

// Both throw std::runtime_error that names the file.
std::vector<char> bytes_of(const std::filesystem::path& file);
CubinImage load_cubin_image(const std::filesystem::path& file);

}  // namespace tilelab::cuda
