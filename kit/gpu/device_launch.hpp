// Runs launch requests on a GPU, one after another, in this process's context. The module is loaded again for each of them, so
// that values in __device__ variables never reach the next launch. There is no time limit here: the parent ends a launch that
// does not end, by ending this process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cubin.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/guarded_buffer.hpp"
#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::cuda {

// Makes the device's context and makes it current in this thread. Throws DriverError.
DeviceHandle enter_device(const Driver& driver, int ordinal);

struct LaunchOutcome {
  protocol::LaunchReply reply;
  bool spoiled = false;  // this process can run no more launches
};

class DeviceSession {
 public:
  // Makes the context. That takes a third of a second, or more if no other process holds the GPU. Throws DriverError.
  explicit DeviceSession(const CubinImage& image);

  // Counters of the reply: `registers` of the kernel, and `short_of_registers`. The latter is 1 if a block of that many threads
  // needs more registers than there are; the builder can then compile for fewer.
  LaunchOutcome launch(const protocol::LaunchRequest& request, const std::vector<Descriptor>& files);

 private:
  const CubinImage& image_;
  const Driver& driver_;
  DeviceHandle device_ = 0;
  PrintedOutput printed_;
};

// The process that holds the GPU's context, as a child of the runner. It is started when first needed. It is ended when a launch
// exceeds its time limit or has spoiled the context, so a kernel that hangs or crashes affects only its own launch.
class LaunchWorker {
 public:
  // `patience`: how long making the context may take. On an idle GPU it can take seconds.
  explicit LaunchWorker(const CubinImage& image, std::chrono::milliseconds patience = std::chrono::seconds(20));
  ~LaunchWorker();
  LaunchWorker(const LaunchWorker&) = delete;
  LaunchWorker& operator=(const LaunchWorker&) = delete;

  // The text of a reply to the request in `frame`. Throws nlohmann::json::exception if the frame is no request.
  std::string answer(const Frame& frame);

 private:
  struct Process;
  void end_process();
  void reap();

  const CubinImage& image_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<Process> process_;  // null: not running
  std::vector<pid_t> ending_;         // killed, but maybe not ended yet
};

}  // namespace tilelab::cuda
