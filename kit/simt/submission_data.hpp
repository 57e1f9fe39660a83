// Where the linker put the submission's own sections: code, constants, variables.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace tilelab::simt {

// [first, end) of its read-only data and of its variables.
std::vector<std::pair<std::uintptr_t, std::uintptr_t>> submission_data();
// A copy of its variables, to be compared with a later one.
std::vector<char> submission_variables();
bool owned_by_submission(std::uintptr_t address);  // in one of those, or on the running thread's stack

}  // namespace tilelab::simt
