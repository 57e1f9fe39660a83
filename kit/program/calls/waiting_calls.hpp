// The program's calls about order and errors: streams, events, waiting, the last error.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>

#include "program/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

class WaitingCalls {
 public:
  explicit WaitingCalls(Session& session) : session_(session) {}

  Reply stream(const HostRequest& request);
  Reply event(const HostRequest& request);
  Reply device(const HostRequest& request);
  Reply last_error(const HostRequest& request);
  // The program has touched memory that it may not, or not yet.
  Reply touch(const HostRequest& request);

 private:
  using Clock = std::chrono::steady_clock;
  Session& session_;
  std::map<std::uint64_t, Clock::time_point> recorded_;  // events, when they were
};

}  // namespace tilelab::program
