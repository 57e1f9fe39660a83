// The program's calls that allocate and free memory, and ask where a pointer leads. What it copies is in copy_calls.hpp.
#pragma once

#include "program/host/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

class MemoryCalls {
 public:
  explicit MemoryCalls(Session& session) : session_(session) {}

  Reply allocate(const HostRequest& request);
  Reply free(const HostRequest& request);
  Reply pointer(const HostRequest& request);

 private:
  Reply revive(const HostRequest& request);
  void note_whole(const HostRequest& request, Allocation& one);

  Session& session_;
};

}  // namespace tilelab::program
