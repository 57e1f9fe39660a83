// Which user the confined program runs as. It must not be root, because the kernel exempts root from the limit on processes, and
// root may signal every process. An ordinary user stays the same.
#pragma once

#include "sandbox/confine_options.hpp"

namespace tilelab::sandbox {

// As root: becomes `user`, an id that nothing else on the machine should use, and returns true. It keeps only the capability to
// override file permissions, because a course's folders may be readable only by root. Landlock and the mounts still decide which
// files it reaches. With keep_root, or as an ordinary user: gives up every capability and returns false.
bool give_up_privileges(const ConfineOptions& options);

}  // namespace tilelab::sandbox
