// Translates the driver's error codes to the verdicts that the CPU executor gives for a submission. No side effects.
#pragma once

#include <string>

#include "cuda/driver_api.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::cuda {

struct Trouble {
  protocol::Status status = protocol::Status::internal_error;
  std::string finding;  // if the launch itself ran: the verdict's name, "out-of-bounds" or "misaligned"; else empty
  std::string message;  // one sentence for the student
  bool spoils = true;   // the context can run no more launches
};

// `result` is an error, from launching the kernel or from waiting for it.
Trouble trouble_of(Result result, const std::string& words);

}  // namespace tilelab::cuda
