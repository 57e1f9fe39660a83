// A launcher's operands: memory that is there before the program starts, and what it holds when the launcher has come back. A whole
// program with a main of its own has none.
#pragma once

#include <vector>

#include "program/host/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

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
