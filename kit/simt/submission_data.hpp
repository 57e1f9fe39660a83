// Where the linker put the submission's own sections: code, constants, variables.
#pragma once

#include <cstdint>
#include <vector>

namespace tilelab::simt {

struct DataSection {
  std::uintptr_t first, end;  // null: absent
  bool constant;
};

// Its variables and its read-only data.
std::vector<DataSection> submission_data();
// A copy of its variables, to be compared with a later one.
std::vector<char> submission_variables();
bool owned_by_submission(std::uintptr_t address);  // in one of those, or on the running thread's stack

}  // namespace tilelab::simt
