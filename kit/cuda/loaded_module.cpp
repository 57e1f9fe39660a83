#include "cuda/loaded_module.hpp"

namespace tilelab::cuda {

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

}  // namespace tilelab::cuda
