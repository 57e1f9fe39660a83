// The process that holds the GPU's context, as a child of the runner. It is started when first needed. It is ended when a launch
// exceeds its time limit or has spoiled the context, so a kernel that hangs or crashes affects only its own launch.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cubin.hpp"
#include "protocol/channel.hpp"

namespace tilelab::cuda {

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
