// Times several kernels against each other on one GPU, in this process's context. Each round runs all of them on the same inputs,
// which no other round has; every second round runs them in reverse order. Nothing is verified here: the outputs of the requested
// rounds are copied back. If a kernel does not end, whoever sent the request ends this process.
#pragma once

#include <optional>

#include "cuda/clock_reader.hpp"
#include "cuda/contest_image.hpp"
#include "cuda/driver_api.hpp"
#include "runner/channel.hpp"
#include "runner/timing_message.hpp"

namespace tilelab::cuda {

class Contest {
 public:
  // Makes the context, and does all else that takes long but does not use the device. Throws DriverError.
  explicit Contest(const ContestImage& image);

  // `kept` has room for as many outputs as the request asks to keep. Our own errors are reported in the reply too:
  // internal_error.
  protocol::TimingReply run(const protocol::TimingRequest& request, const Descriptor& kept);

 private:
  const ContestImage& image_;
  const Driver& driver_;
  DeviceHandle device_ = 0;
  std::optional<ClockReader> clocks_;
};

}  // namespace tilelab::cuda
