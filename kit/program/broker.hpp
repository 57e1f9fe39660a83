// Runs a whole program: answers its requests one after the other until it ends, and knows afterwards what there is to tell.
//
// Theory of operation. The program is a process that never sees device memory. Each of its calls is a request. What the call would have
// done on a GPU is done before it is answered, also where CUDA would let the program go on; which work a GPU could still be doing then is
// remembered, and so it is known when the program looks too early. Kernels run in processes of their own, one for each kernel, which
// map the same memory files. Whatever the program sends is checked; what breaks the rules ends it.
#pragma once

#include <atomic>

#include <nlohmann/json.hpp>

#include "program/program_description.hpp"

namespace tilelab::program {

// Starts the program and serves it until it ends, its time is up, or `stop` is set and a signal arrives. Returns run.json. Throws
// std::system_error.
nlohmann::json brokered(ProgramDescription description, const std::atomic<bool>& stop);

}  // namespace tilelab::program
