// Times several kernels against each other on one GPU, in this process's context: round by round, every other round backwards,
// all on the same inputs, which no other round has. Nothing is verified here: outputs of the rounds that were asked for are
// copied back. Whoever asked ends the process where a kernel does not end.
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
  // Makes the context, and whatever else takes long and leaves the device alone. Throws DriverError.
  explicit Contest(const ContestImage& image);

  // `kept` holds as many outputs as the request wants kept. Troubles of ours are the reply's status too: internal_error.
  protocol::TimingReply run(const protocol::TimingRequest& request, const Descriptor& kept);

 private:
  const ContestImage& image_;
  const Driver& driver_;
  DeviceHandle device_ = 0;
  std::optional<ClockReader> clocks_;
};

}  // namespace tilelab::cuda
