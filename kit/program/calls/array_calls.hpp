// The program's calls that make CUDA arrays, and ask about them. Copies are in copy_calls.hpp, the end of an array's life is in
// memory_calls.hpp.
#pragma once

#include "program/host/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

class ArrayCalls {
 public:
  explicit ArrayCalls(Session& session) : session_(session) {}
  Reply array(const HostRequest& request);

 private:
  Reply create(const HostRequest& request);
  Reply level(const HostRequest& request, const Allocation& array);
  Reply info(const HostRequest& request, const Allocation& array);

  Session& session_;
};

// As the program describes texels.
ChannelFormat channels_of(const HostRequest& request);

}  // namespace tilelab::program
