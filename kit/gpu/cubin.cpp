#include "gpu/cubin.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

#include "protocol/json/json_text.hpp"

namespace tilelab::cuda {

std::vector<char> bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(file.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

CubinImage load_cubin_image(const std::filesystem::path& file) {
  const std::vector<char> text = bytes_of(file);
  try {
    const auto json = json_from(std::string_view(text.data(), text.size()));
    CubinImage image;
    image.driver = json.at("driver").get<std::string>();
    image.device = json.at("device").get<int>();
    image.functions = json.at("functions").get<std::vector<std::string>>();
    image.kernel = json.at("kernel").get<std::string>();
    image.ask_launch = json.at("ask_launch").get<std::string>();
    image.poison_shared = json.at("poison_shared").get<std::string>();
    image.cubin = bytes_of(file.parent_path() / json.at("cubin").get<std::string>());
    return image;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

Function LoadedModule::function(const std::string& name) const {
  Function found = nullptr;
  driver_.check(driver_.module_function(&found, module_, name.c_str()), name.c_str());
  return found;
}

std::vector<std::string> LoadedModule::names(const std::vector<std::string>& known) const {
  if (!driver_.module_function_count || !driver_.module_functions || !driver_.function_name) return known;
  unsigned count = 0;
  driver_.check(driver_.module_function_count(&count, module_), "cuModuleGetFunctionCount");
  std::vector<Function> functions(count);
  driver_.check(driver_.module_functions(functions.data(), count, module_), "cuModuleEnumerateFunctions");
  std::vector<std::string> names;
  for (const Function function : functions) {
    const char* name = nullptr;
    driver_.check(driver_.function_name(&name, function), "cuFuncGetName");
    names.emplace_back(name);
  }
  return names;
}

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
