// What the submission and the executor share: the submission's own sections, where the linker placed them, and the built-in variables.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "executor/event.hpp"

namespace tilelab::simt {

struct DataSection {
  std::uintptr_t first, end;  // null: absent
  bool constant;
};

// The submission's variables and its read-only data.
std::vector<DataSection> submission_data();
// A copy of the submission's variables, to compare with a later one.
std::vector<char> submission_variables();
void restore_submission_variables(const std::vector<char>& copy);
bool owned_by_submission(std::uintptr_t address);  // in one of those sections, or on the running thread's stack

// threadIdx, blockIdx, blockDim and gridDim: plain variables that the submission reads and the machine sets.
void set_launch_variables(const Index3& grid, const Index3& block);
void set_block_index(const Index3& index);
void set_thread_index(const Index3& index);
// Their addresses: [first, end).
std::pair<std::uintptr_t, std::uintptr_t> builtin_variables();

}  // namespace tilelab::simt
