// The program's own symbol table: the mangled names of its functions and variables, by address. The program is not position
// independent and not stripped, so addresses in the table are addresses in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilelab_host {

struct Symbol {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  bool is_function = false;
  std::string name;
};

class OwnSymbols {
 public:
  static const OwnSymbols& read();  // once; empty where the program cannot read its own file

  const Symbol* function_at(std::uintptr_t address) const;      // that begins there
  const void* function_named(const std::string& name) const;    // null: there is none
  const Symbol* variable_around(std::uintptr_t address) const;  // that the address lies in
  // The mangled name of the kernel whose stub has its mark there: see launch_stub.hpp.
  std::optional<std::string> kernel_of_mark(std::uintptr_t address) const;
  const std::vector<Symbol>& all() const { return symbols_; }

 private:
  explicit OwnSymbols(const char* file);
  const Symbol* at_or_before(std::uintptr_t address) const;
  std::vector<Symbol> symbols_;  // sorted by address
};

}  // namespace tilelab_host
