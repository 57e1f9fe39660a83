#include "cuda/kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace tilelab::cuda {
namespace {

// nvcc gives an unnamed namespace a name of its own: "_GLOBAL__N__cbe22786_7_file_cu_kernel::".
std::string without_unnamed_namespace(const std::string& signature) {
  for (const char* prefix : {"(anonymous namespace)::", "_GLOBAL__N_", "_INTERNAL_"}) {
    if (!signature.starts_with(prefix)) continue;
    const std::size_t end = signature.find("::");
    if (end != std::string::npos && end < signature.rfind('(')) return signature.substr(end + 2);
  }
  return signature;
}

}  // namespace

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 ? text.get() : name;
}

std::optional<std::string> kernel_among(const std::vector<std::string>& functions, const std::string& signature) {
  for (const std::string& name : functions) {
    if (demangled(name) == signature) return name;
  }
  const std::string plain = signature.substr(0, signature.find('('));
  for (const std::string& name : functions) {
    if (name == plain || without_unnamed_namespace(demangled(name)) == signature) return name;
  }
  return std::nullopt;
}

}  // namespace tilelab::cuda
