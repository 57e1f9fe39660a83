// What a runner that times kernels must know, read from its JSON file: the contestants, and the cubin of the kit's own kernels
// that prepare each launch. It does not say which contestant is the student's.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "gpu/cubin.hpp"
#include "gpu/driver_api.hpp"
#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::cuda {

// How a library computes products. tf32: tensor cores may read each float with 10 bits of fraction.
enum class Arithmetic { fp32, tf32 };

// A kernel of a cubin, or with `plan` what a launcher does with several; if `library` is not empty, a routine of that library.
struct ContestantImage : KernelImage {
  std::string library;                       // the file of cuBLAS, for C = A·B
  Arithmetic arithmetic = Arithmetic::fp32;  // of a library's routine
  bool alone = false;                        // in a context of its own: not the course's
  nlohmann::json plan = {};                  // of a launcher: see gpu/replay.hpp; null: one kernel is launched
};

struct ContestImage {
  std::string driver;
  int device = 0;
  std::string stage;
  std::vector<ContestantImage> contestants;
};

// Throws std::runtime_error that names the file.
ContestImage load_contest_image(const std::filesystem::path& file);

// Times several kernels against each other on one GPU. Each round runs all of them on the same inputs, which no other round has;
// every second round runs them in reverse order. A kernel that is not the course's own has a context to itself: it can reach neither
// another kernel's output nor the buffers of others. After each of its launches its inputs must be as they were. Nothing is verified here:
// the outputs of the requested rounds are copied back. If a kernel does not end, whoever sent the request ends this process.

class ClockReader;

class Contest {
 public:
  // Makes the contexts, and does all else that takes long but does not use the device. Throws DriverError.
  explicit Contest(const ContestImage& image);
  ~Contest();
  Contest(const Contest&) = delete;
  Contest& operator=(const Contest&) = delete;

  // `kept` has room for as many outputs as the request asks to keep. Our own errors are reported in the reply too:
  // internal_error.
  protocol::TimingReply run(const protocol::TimingRequest& request, const Descriptor& kept);

 private:
  const ContestImage& image_;
  const Driver& driver_;
  DeviceHandle device_ = 0;
  Context shared_ = nullptr;
  std::vector<Context> contexts_;  // by contestant; `shared_` for the course's own
  std::unique_ptr<ClockReader> clocks_;
};

}  // namespace tilelab::cuda
