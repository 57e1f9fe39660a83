// Signals that a launch can end by, its clock, and memory that runs out. Each ends the process after its answer was given.
#pragma once

#include <cstdint>

namespace tilelab {

// Who gives the answer. Its functions are called from a signal handler, or where memory has run out; afterwards the process ends.
class LaunchEmergency {
 public:
  virtual ~LaunchEmergency() = default;
  // A signal arrived at instruction `pc`. `address` is the address of the access, if there was one.
  virtual void crashed(int signal, std::uintptr_t pc, std::uintptr_t address) = 0;
  virtual void out_of_memory() = 0;
};

// From now on, all that goes to `emergency`, which lives as long as the process. `clock_ms` of processor time is the signal SIGPROF.
// Throws std::bad_alloc, std::runtime_error.
void install_signals(LaunchEmergency& emergency, unsigned clock_ms);

}  // namespace tilelab
