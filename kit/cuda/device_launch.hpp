// Runs launch requests on a GPU, one after the other, in this process's context. The module is loaded anew for each, so that
// nothing a kernel keeps in __device__ variables reaches the next. Waits without a clock: ending a launch that does not end is
// the parent's part, by ending the process.
#pragma once

#include <vector>

#include "cuda/cubin_image.hpp"
#include "cuda/driver_api.hpp"
#include "cuda/printed_output.hpp"
#include "runner/channel.hpp"
#include "runner/protocol.hpp"

namespace tilelab::cuda {

// Makes the device's context and this thread its user. Throws DriverError.
DeviceHandle enter_device(const Driver& driver, int ordinal);

struct LaunchOutcome {
  protocol::LaunchReply reply;
  bool spoiled = false;  // this process can serve no further launch
};

class DeviceSession {
 public:
  // Makes the context: a third of a second, or more where nothing else holds the GPU. Throws DriverError.
  explicit DeviceSession(const CubinImage& image);

  // Counters of the reply: `registers` of the kernel; `short_of_registers` 1 where a block of that many threads would need
  // more registers than there are, so that the builder can compile for fewer.
  LaunchOutcome launch(const protocol::LaunchRequest& request, const std::vector<Descriptor>& files);

 private:
  const CubinImage& image_;
  const Driver& driver_;
  DeviceHandle device_ = 0;
  PrintedOutput printed_;
};

}  // namespace tilelab::cuda
