// The program's calls that make memory, arrays, textures and a launcher's operands, and those about order and errors. What it copies is
// in copy_calls.hpp.
#pragma once

#include <vector>

#include "program/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

Reply allocate(Session& session, const HostRequest& request);
Reply free_memory(Session& session, const HostRequest& request);  // and arrays
// Where a pointer leads.
Reply pointer(Session& session, const HostRequest& request);
// Makes a CUDA array, or asks about one.
Reply array(Session& session, const HostRequest& request);
// Makes a texture or a surface, which shows an array or linear memory to kernels, or destroys one.
Reply texture(Session& session, const HostRequest& request);

Reply stream(Session& session, const HostRequest& request);
Reply event(Session& session, const HostRequest& request);
Reply device(Session& session, const HostRequest& request);
Reply last_error(Session& session, const HostRequest& request);
// The program has touched memory that it may not, or not yet.
Reply touch(Session& session, const HostRequest& request);

// A launcher's operands: memory that is there before the program starts, and what it holds when the launcher has come back. A whole
// program with a main of its own has none.

class OperandCalls {
 public:
  // Reads what the operands hold before. Throws std::runtime_error where that cannot be read, or there is no room.
  explicit OperandCalls(Session& session);

  // The addresses and values, in the order of program.json. `count`: how many the program expects.
  Reply operands(const HostRequest& request);
  // The launcher came back: waits for the device, writes down what the operands hold, and ends the run. Throws std::runtime_error.
  void finish(const HostRequest& request);

 private:
  Session& session_;
  std::vector<Allocation*> places_;  // null: a scalar
};

}  // namespace tilelab::program
