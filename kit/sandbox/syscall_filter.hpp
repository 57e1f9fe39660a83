// The system calls that a confined program may make, as a seccomp filter. Every other call fails with "no such system call", so
// that a C library tries an older way. A program is never killed for a call.
#pragma once

#include "sandbox/confine_options.hpp"

namespace tilelab::sandbox {

bool seccomp_available();

// Applies to this process and everything it starts, for ever. Needs no_new_privs. Throws Failure.
void restrict_system_calls(Profile profile);

}  // namespace tilelab::sandbox
