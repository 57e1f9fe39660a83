// Tells the grader what a confined program has used, so that one that was stopped at a limit is told from one that the machine failed.
// Not a limit: resource_limits.hpp has those.
#pragma once

namespace tilelab::sandbox {

// Returns in a child, which goes on to become the program. The parent waits, writes one line "SECONDS BYTES" to `descriptor` (processor
// time of the program and of all that it waited for, and the largest memory of one process among them) and ends as the program did.
void continue_as_reported(int descriptor);

}  // namespace tilelab::sandbox
