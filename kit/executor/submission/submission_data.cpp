// Uses the symbols that the linker makes for sections whose names are identifiers. A symbol is absent if its section is.
#include "executor/submission/submission_data.hpp"

#include <algorithm>

#include "executor/machine/machine.hpp"

// Defines the variables that the device headers declare `extern const`. They are all in one section, so that an address shows
// whether one of them is read.
#define TILELAB_BUILTIN __attribute__((section("tlbuiltin"), used))

// The names and layouts are those of device/vector_types.hpp. All are initialised, so that they are placed in the same section.
namespace cuda_on_cpu {
TILELAB_BUILTIN tilelab::simt::Index3 threadIdx{1, 1, 1};
TILELAB_BUILTIN tilelab::simt::Index3 blockIdx{1, 1, 1};
TILELAB_BUILTIN tilelab::simt::Index3 blockDim{1, 1, 1};
TILELAB_BUILTIN tilelab::simt::Index3 gridDim{1, 1, 1};
TILELAB_BUILTIN int warpSize = 32;
}  // namespace cuda_on_cpu

extern "C" {
extern char __start_tlbuiltin[];
extern char __stop_tlbuiltin[];
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

void restore_submission_variables(const std::vector<char>& copy) {
  const std::ptrdiff_t data = __stop_tldata - __start_tldata;
  std::copy(copy.begin(), copy.begin() + data, __start_tldata);
  std::copy(copy.begin() + data, copy.end(), __start_tlbss);
}

bool owned_by_submission(std::uintptr_t address) {
  for (const DataSection& section : submission_data()) {
    if (address >= section.first && address < section.end) return true;
  }
  const auto& running = Machine::current().running();
  return address >= running.stack_low && address < running.stack_high;
}

void set_launch_variables(const Index3& grid, const Index3& block) {
  cuda_on_cpu::gridDim = grid;
  cuda_on_cpu::blockDim = block;
}

void set_block_index(const Index3& index) { cuda_on_cpu::blockIdx = index; }
void set_thread_index(const Index3& index) { cuda_on_cpu::threadIdx = index; }

std::pair<std::uintptr_t, std::uintptr_t> builtin_variables() {
  return {reinterpret_cast<std::uintptr_t>(__start_tlbuiltin), reinterpret_cast<std::uintptr_t>(__stop_tlbuiltin)};
}

}  // namespace tilelab::simt
