// Sets resource limits (setrlimit) for what a submission could use up. They apply to each process, except the number of
// processes. The caller limits what such limits cannot: wall-clock time and disk space.
#pragma once

#include "sandbox/confine_options.hpp"

namespace tilelab::sandbox {

// `alone`: nothing else runs under this user, so the limit on processes can be exact.
void limit_resources(const ConfineOptions& options, bool alone);

// When memory runs out, the kernel should end this process first.
void volunteer_for_out_of_memory();

}  // namespace tilelab::sandbox
