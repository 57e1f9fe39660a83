// What the driver's error codes mean for a submission, in the verdicts that the CPU executor gives. Pure.
#pragma once

#include <string>

#include "cuda/driver_api.hpp"
#include "runner/protocol.hpp"

namespace tilelab::cuda {

struct Trouble {
  protocol::Status status = protocol::Status::internal_error;
  std::string finding;  // the verdict's name where the launch itself ran: "out-of-bounds", "misaligned"; else empty
  std::string message;  // one sentence for the student
  bool spoils = true;   // the context can serve no further launch
};

// `result` is not success, and came from launching the kernel or from waiting for it.
Trouble trouble_of(Result result, const std::string& words);

}  // namespace tilelab::cuda
