// Uses the symbols that the linker makes for sections whose names are identifiers. A symbol is absent if its section is.
#include "simt/submission/submission_data.hpp"

#include "simt/machine/machine.hpp"

extern "C" {
extern char __start_tldata[] __attribute__((weak));
extern char __stop_tldata[] __attribute__((weak));
extern char __start_tlbss[] __attribute__((weak));
extern char __stop_tlbss[] __attribute__((weak));
extern char __start_tlrodata[] __attribute__((weak));
extern char __stop_tlrodata[] __attribute__((weak));
}

namespace tilelab::simt {

std::vector<DataSection> submission_data() {
  const auto at = [](const char* symbol) { return reinterpret_cast<std::uintptr_t>(symbol); };
  return {{at(__start_tldata), at(__stop_tldata), false},
          {at(__start_tlbss), at(__stop_tlbss), false},
          {at(__start_tlrodata), at(__stop_tlrodata), true}};
}

std::vector<char> submission_variables() {
  std::vector<char> copy(__start_tldata, __stop_tldata);
  copy.insert(copy.end(), __start_tlbss, __stop_tlbss);
  return copy;
}

bool owned_by_submission(std::uintptr_t address) {
  for (const DataSection& section : submission_data()) {
    if (address >= section.first && address < section.end) return true;
  }
  const auto& running = Machine::current().running();
  return address >= running.stack_low && address < running.stack_high;
}

}  // namespace tilelab::simt
