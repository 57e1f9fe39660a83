// setrlimit for what a submission could use up. Per process, but for the number of processes itself;
// what a limit per process cannot bound (a clock on the wall, disk space) is the caller's.
#pragma once

#include "sandbox/confine_options.hpp"

namespace tilelab::sandbox {

// `alone`: nothing else runs under this user, so that the limit on processes can be exact.
void limit_resources(const ConfineOptions& options, bool alone);

// When memory runs out, the kernel ends this process before anybody else's.
void volunteer_for_out_of_memory();

}  // namespace tilelab::sandbox
