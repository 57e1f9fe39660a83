// The system calls a confined program may make, as a seccomp filter. Everything that is not listed answers "no such
// system call", so that a C library tries an older way; a program is never killed for having asked.
#pragma once

#include "sandbox/confine_options.hpp"

namespace tilelab::sandbox {

bool seccomp_available();

// In force for this process and all it starts, for good. Needs no_new_privs. Throws Failure.
void restrict_system_calls(Profile profile);

}  // namespace tilelab::sandbox
