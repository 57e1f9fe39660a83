// Where the linker placed the submission's own sections: code, constants, variables.
#pragma once

#include <cstdint>
#include <vector>

namespace tilelab::simt {

struct DataSection {
  std::uintptr_t first, end;  // null: absent
  bool constant;
};

// The submission's variables and its read-only data.
std::vector<DataSection> submission_data();
// A copy of the submission's variables, to compare with a later one.
std::vector<char> submission_variables();
bool owned_by_submission(std::uintptr_t address);  // in one of those sections, or on the running thread's stack

}  // namespace tilelab::simt
