// One run of a program on a real GPU. It says for itself how it ended, and what it leaves is read by the judge; nothing else is known of
// it: which kernels ran and where bytes came from is for a run under the conductor to say.
#pragma once

#include <string>
#include <vector>

#include "program_judge/conducted_run.hpp"

namespace tilelab::judge {

// `program.native` is there. The record has the keys of run.json, all lists empty, and "native": true. Throws std::system_error where the
// program cannot be started, or the lock on the GPU cannot be taken.
ConductedRun run_natively(const BuiltProgram& program, const std::vector<std::string>& arguments);

}  // namespace tilelab::judge
