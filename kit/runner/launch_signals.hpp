// Signals that a launch can end by, its clock, and memory that runs out. Each ends the process after its answer was given.
#pragma once

#include <cstdint>

namespace tilelab {

inline constexpr int no_memory_status = 4;  // the exit status where memory was too short even to say so

// Who gives the answer. Its functions are called from a signal handler, or where memory has run out; afterwards the process ends.
class LaunchEmergency {
 public:
  virtual ~LaunchEmergency() = default;
  // A signal arrived at instruction `pc`. `address` is the address of the access, if there was one.
  virtual void crashed(int signal, std::uintptr_t pc, std::uintptr_t address) = 0;
  virtual void out_of_memory() = 0;
  // Whether the launch may have as much processor time again. Otherwise it has crashed with SIGPROF, or with SIGXCPU where a sandbox ends
  // it.
  virtual bool may_go_on() = 0;
};

// From now on, all that goes to `emergency`, which lives as long as the process. It is asked each time that `clock_ms` of processor time
// are used up.
// Throws std::bad_alloc, std::runtime_error.
void install_signals(LaunchEmergency& emergency, unsigned clock_ms);

}  // namespace tilelab
