// Who the confined program runs as. Root is let go of: the kernel exempts root from the limit on processes, and root
// may signal anybody. An ordinary user stays who they are.
#pragma once

#include "sandbox/confine_options.hpp"

namespace tilelab::sandbox {

// As root: becomes `user`, an id that nothing else on the machine should be using, and answers true; then only the
// right to pass over file permissions is kept, since a course's folders may be readable by root alone (Landlock and the
// mounts still say which). With keep_root, or as an ordinary user: gives every capability up and answers false.
bool give_up_privileges(const ConfineOptions& options);

}  // namespace tilelab::sandbox
