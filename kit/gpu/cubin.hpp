// What the builder knows about the submission that a GPU runner hosts, read from its JSON file: where the cubin lies, and what
// each of its functions is for.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/guarded_buffer.hpp"
#include "protocol/json/json_text.hpp"

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

// These throw std::runtime_error that names the file. Calls `read` with what the file holds as JSON.
inline void read_image(const std::filesystem::path& file, const std::function<void(const nlohmann::json&)>& read) {
  try {
    read(json_of(file.string()));
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}
// Of a part of such a file, which names the cubin beside it.
inline KernelImage kernel_image(const nlohmann::json& value, const std::filesystem::path& file) {
  return {.cubin = content_of(file.parent_path() / value.at("cubin").get<std::string>()),
          .functions = value.at("functions").get<std::vector<std::string>>(),
          .kernel = value.at("kernel").get<std::string>(),
          .ask_launch = value.at("ask_launch").get<std::string>()};
}
inline CubinImage load_cubin_image(const std::filesystem::path& file) {
  CubinImage image;
  read_image(file, [&](const nlohmann::json& json) {
    static_cast<KernelImage&>(image) = kernel_image(json, file);
    image.driver = json.at("driver").get<std::string>();
    image.device = json.at("device").get<int>();
    image.poison_shared = json.at("poison_shared").get<std::string>();
  });
  return image;
}

// nvcc gives an unnamed namespace a name of its own: "_GLOBAL__N__cbe22786_7_file_cu_kernel::".
inline std::string without_unnamed_namespace(const std::string& signature) {
  for (const char* prefix : {"(anonymous namespace)::", "_GLOBAL__N_", "_INTERNAL_"}) {
    if (!signature.starts_with(prefix)) continue;
    const std::size_t end = signature.find("::");
    if (end != std::string::npos && end < signature.rfind('(')) return signature.substr(end + 2);
  }
  return signature;
}

// "scale(float const*, float*, int)" from "_Z5scalePKfPfi"; a name that is not mangled stays as it is.
inline std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

// Finds the kernel that a lab asks for among the names in a cubin. It works on names only and touches no device.

// The name in `functions` of the kernel with this demangled signature. If there is none: the one with that plain name (extern
// "C"), or the one inside an unnamed namespace. The caller then has to check its parameters.
inline std::optional<std::string> kernel_among(const std::vector<std::string>& functions, const std::string& signature) {
  for (const std::string& name : functions) {
    if (demangled(name) == signature) return name;
  }
  const std::string plain = signature.substr(0, signature.find('('));
  for (const std::string& name : functions) {
    if (name == plain || without_unnamed_namespace(demangled(name)) == signature) return name;
  }
  return std::nullopt;
}

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

  Function function(const std::string& name) const {
    Function found = nullptr;
    driver_.check(driver_.module_function(&found, module_, name.c_str()), name.c_str());
    return found;
  }
  DeviceAddress variable(const std::string& name) const {
    DeviceAddress address = 0;
    std::size_t bytes = 0;
    driver_.check(driver_.module_variable(&address, &bytes, module_, name.c_str()), name.c_str());
    return address;
  }
  // The kernel that the image asks for; null: there is none.
  Function kernel(const KernelImage& image) const {
    const auto name = kernel_among(image.functions, image.kernel);
    return name ? function(*name) : nullptr;
  }
  // Runs the kernel that evaluates the launch function of these numbers: the driver's answer, and the function's if that is 0.
  std::pair<Result, protocol::LaunchConfig> ask(const std::string& ask_launch, std::vector<int> numbers) const {
    const GuardedBuffer answer(driver_, std::vector<std::byte>(7 * sizeof(std::uint32_t)));
    DeviceAddress address = answer.address();
    std::vector<void*> parameters{&address};
    for (int& number : numbers) parameters.push_back(&number);
    if (const Result result = driver_.run(function(ask_launch), {}, parameters.data()); result != 0) return {result, {}};
    std::uint32_t words[7];
    std::memcpy(words, answer.content().data(), sizeof words);
    return {0, {{words[0], words[1], words[2]}, {words[3], words[4], words[5]}, words[6]}};
  }

 private:
  const Driver& driver_;
  Module module_ = nullptr;
};

}  // namespace tilelab::cuda
