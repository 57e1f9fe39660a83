// What the builder knows about the submission that a GPU runner hosts, read from its JSON file: where the cubin lies, and what
// each of its functions is for.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "gpu/driver_api.hpp"

namespace tilelab::cuda {

// A kernel in a cubin.
struct KernelImage {
  std::string cubin;
  std::vector<std::string> functions;  // of the cubin, by name
  std::string kernel;                  // demangled: "scale(float const*, float*, int)"
  std::string ask_launch;              // the generated kernel that evaluates the launch function; empty if there is none
};

struct CubinImage : KernelImage {
  std::string driver;         // libcuda's path; empty: its usual name
  int device = 0;             // in the driver's numbering
  std::string poison_shared;  // the generated kernel that fills shared memory; empty if there is none
  bool watched = false;       // by a tool that sees every access: then no guard zones, and no poison in outputs and shared memory
};

// They throw std::runtime_error that names the file. Calls `read` with what the file holds as JSON.
void read_image(const std::filesystem::path& file, const std::function<void(const nlohmann::json&)>& read);
CubinImage load_cubin_image(const std::filesystem::path& file);
// Of a part of such a file, which names the cubin beside it.
KernelImage kernel_image(const nlohmann::json& value, const std::filesystem::path& file);

// One cubin, loaded into the current context while this object lives.

class LoadedModule {
 public:
  // Throws DriverError.
  LoadedModule(const Driver& driver, const std::string& cubin) : driver_(driver) {
    driver_.check(driver_.module_load(&module_, cubin.data()), "cuModuleLoadData");
  }
  LoadedModule(const LoadedModule&) = delete;
  LoadedModule& operator=(const LoadedModule&) = delete;
  LoadedModule(LoadedModule&& other) noexcept : driver_(other.driver_), module_(std::exchange(other.module_, nullptr)) {}
  LoadedModule& operator=(LoadedModule&&) = delete;
  ~LoadedModule() {
    if (module_ != nullptr) driver_.module_unload(module_);
  }

  Function function(const std::string& name) const;
  // The kernel that the image asks for; null: there is none.
  Function kernel(const KernelImage& image) const;
  // Runs the kernel that evaluates the launch function of these numbers: the driver's answer, and the function's if that is 0.
  std::pair<Result, protocol::LaunchConfig> ask(const std::string& ask_launch, std::vector<int> numbers) const;

 private:
  const Driver& driver_;
  Module module_ = nullptr;
};

// Finds the kernel that a lab asks for among the names in a cubin. It works on names only and touches no device.

// The name in `functions` of the kernel with this demangled signature. If there is none: the one with that plain name (extern
// "C"), or the one inside an unnamed namespace. The caller then has to check its parameters.
std::optional<std::string> kernel_among(const std::vector<std::string>& functions, const std::string& signature);

}  // namespace tilelab::cuda
