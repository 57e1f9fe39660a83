// Runs a whole program: answers its requests one after the other until it ends, and knows afterwards what there is to tell.
//
// Theory of operation. The program is a process that never sees device memory. Each of its calls is a request. What the call would have
// done on a GPU is done before it is answered, also where CUDA would let the program go on; which work a GPU could still be doing then is
// remembered, and so it is known when the program looks too early. Kernels run in processes of their own, one for each kernel, which
// map the same memory files. Whatever the program sends is checked; what breaks the rules ends it.
#pragma once

#include <atomic>
#include <cstdint>

#include "program/host_process.hpp"
#include "program/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

class Broker {
 public:
  explicit Broker(ProgramDescription description);

  // Starts the program and serves it until it ends, its time is up, or `stop` is set and a signal arrives. Throws std::system_error.
  void run(const std::atomic<bool>& stop);
  // run.json.
  nlohmann::json report() const { return session_.record.report(session_.errors); }

 private:
  using Clock = HostProcess::Clock;
  void serve(HostProcess& process, HostClock& clock, Clock::time_point deadline, const std::atomic<bool>& stop);
  Reply answer(const HostRequest& request);
  Reply said(const HostRequest& request);
  void look_for_leaks();
  void note_end(HostProcess& process, HostClock& clock, Clock::time_point deadline);

  Session session_;
  bool said_bye_ = false;
  std::uint64_t calls_ = 0;  // the program's, so far
};

}  // namespace tilelab::program
