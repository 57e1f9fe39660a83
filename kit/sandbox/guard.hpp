// Ends what a program leaves behind. It is needed if there is no process namespace, which would end with its first process. It
// reaps only what it started, and does not depend on the guarded program.
#pragma once

namespace tilelab::sandbox {

// Splits the process. The call returns in a child that leads its own session and process group. In the caller's process it never
// returns: that process waits for the child, kills its whole group and ends with the child's exit status (128 + signal). If the
// waiting process itself is killed, a third process kills the group. So nothing in the group can outlive the waiting process.
void continue_under_guard();

}  // namespace tilelab::sandbox
