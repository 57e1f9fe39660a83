#include "gpu/driver_api.hpp"

#include <dlfcn.h>
#include <link.h>

#include <filesystem>
#include <system_error>

namespace tilelab::cuda {
namespace {

std::string file_of(void* library) {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return {};
  std::error_code error;
  const auto resolved = std::filesystem::canonical(map->l_name, error);
  return error ? std::string(map->l_name) : resolved.string();
}

using protocol::Status;

// From <cuda.h>. Errors of a kernel that ran are 700 and above.
enum : Result {
  invalid_value = 1,
  out_of_memory = 2,
  illegal_address = 700,
  out_of_resources = 701,
  launch_timeout = 702,
  assertion = 710,
  hardware_stack = 714,
  illegal_instruction = 715,
  misaligned_address = 716,
  invalid_address_space = 717,
  invalid_pc = 718,
  launch_failed = 719
};

}  // namespace

Driver::Driver(void* loaded) : loaded_(loaded), library(file_of(loaded)) {}

Symbol Driver::where_there_is(const char* name) const { return {dlsym(loaded_, name)}; }

Symbol Driver::needed(const char* name) const {
  const Symbol symbol = where_there_is(name);
  if (symbol.found == nullptr) throw DriverError(std::string("the NVIDIA driver has no ") + name + ": it is too old");
  return symbol;
}

std::string Driver::words(Result result) const {
  const char *name = nullptr, *text = nullptr;
  if (error_name(result, &name) != 0 || name == nullptr) return "CUDA error " + std::to_string(result);
  if (error_string(result, &text) != 0 || text == nullptr) return name;
  return std::string(name) + " (" + text + ")";
}

void Driver::check(Result result, const char* what) const {
  if (result != 0) throw DriverError(std::string(what) + ": " + words(result));
}

int Driver::attribute(DeviceHandle device, DeviceAttribute which) const {
  int value = 0;
  check(device_attribute(&value, static_cast<int>(which), device), "cuDeviceGetAttribute");
  return value;
}

int Driver::attribute(Function function, FunctionAttribute which) const {
  int value = 0;
  check(function_attribute(&value, static_cast<int>(which), function), "cuFuncGetAttribute");
  return value;
}

Result Driver::launch(Function function, const protocol::LaunchConfig& config, void** parameters) const {
  const auto& [grid, block, shared] = config;
  return launch_kernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z, static_cast<unsigned>(shared), nullptr, parameters,
                       nullptr);
}

Result Driver::run(Function function, const protocol::LaunchConfig& config, void** parameters) const {
  const Result launched = launch(function, config, parameters);
  return launched != 0 ? launched : context_synchronize();
}

const Driver& load_driver(const std::string& path) {
  const char* name = path.empty() ? "libcuda.so.1" : path.c_str();
  void* library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw DriverError(std::string("the NVIDIA driver's library cannot be loaded: ") + dlerror());
  static const Driver driver(library);
  return driver;
}

Trouble trouble_of(Result result, const std::string& words) {
  const std::string said = " The GPU says " + words + ".";
  switch (result) {
    case illegal_address:
      return {Status::completed, "out-of-bounds", "A thread uses an address on the GPU that belongs to no array." + said, true};
    case misaligned_address:
      return {Status::completed, "misaligned", "A thread uses an address that is not a multiple of the type's size." + said, true};
    case assertion: return {Status::crash, "", "An assertion in the kernel failed." + said, true};
    case hardware_stack: return {Status::crash, "", "A thread overflows its stack." + said, true};
    case illegal_instruction:
    case invalid_pc:
    case launch_failed: return {Status::crash, "", "The kernel crashed." + said, true};
    case invalid_address_space:
      return {Status::crash, "", "A thread uses an address in the wrong memory, such as a shared one for a global access." + said, true};
    case launch_timeout: return {Status::timeout, "", "The kernel does not end." + said, true};
    case invalid_value:
    case out_of_resources: return {Status::launch_error, "", "The GPU refuses this launch." + said, false};
    case out_of_memory: return {Status::internal_error, "", "The GPU has no memory left." + said, false};
    default: return {Status::internal_error, "", "The GPU failed." + said, true};
  }
}

}  // namespace tilelab::cuda
