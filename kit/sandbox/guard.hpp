// Where no process namespace ends with its first process, something has to end what a program leaves behind.
// Reaps nothing it did not start, and needs no cooperation from what it guards.
#pragma once

namespace tilelab::sandbox {

// Splits off: returns in a child, which leads a session and process group of its own; the caller's process never
// returns but waits for that child, then kills its whole group and ends with the child's exit status (128 + signal).
// When the waiting process itself is killed, a third one does the killing: nobody can be told to outlive it.
void continue_under_guard();

}  // namespace tilelab::sandbox
