// One cubin, loaded into the current context while this object lives.
#pragma once

#include <string>
#include <vector>

#include "cuda/driver_api.hpp"

namespace tilelab::cuda {

class LoadedModule {
 public:
  // Throws DriverError.
  LoadedModule(const Driver& driver, const std::vector<char>& cubin) : driver_(driver) {
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
  // The names that the driver lists. Before CUDA 12.4 it cannot list them; then `known`, which the builder read from the cubin.
  std::vector<std::string> names(const std::vector<std::string>& known) const;

 private:
  const Driver& driver_;
  Module module_ = nullptr;
};

}  // namespace tilelab::cuda
