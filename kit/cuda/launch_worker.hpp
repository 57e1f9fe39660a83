// The process that holds the GPU's context, as a child of the runner: started when first needed, ended when a launch outlives
// its clock or has spoiled the context. So a kernel that hangs or goes astray costs its own launch and nothing else.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "cuda/cubin_image.hpp"
#include "runner/channel.hpp"

namespace tilelab::cuda {

class LaunchWorker {
 public:
  // `patience`: for the context to be made, which on an idle GPU can take seconds.
  explicit LaunchWorker(const CubinImage& image, std::chrono::milliseconds patience = std::chrono::seconds(20));
  ~LaunchWorker();
  LaunchWorker(const LaunchWorker&) = delete;
  LaunchWorker& operator=(const LaunchWorker&) = delete;

  // The text of a reply to the request in `frame`. Throws nlohmann::json::exception when that is no request.
  std::string answer(const Frame& frame);

 private:
  struct Process;
  void end_process();
  void reap();

  const CubinImage& image_;
  std::chrono::milliseconds patience_;
  std::unique_ptr<Process> process_;  // null: not running
  std::vector<pid_t> ending_;         // killed, and perhaps not gone yet
};

}  // namespace tilelab::cuda
