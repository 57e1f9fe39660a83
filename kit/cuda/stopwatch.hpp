// Times one launch on the null stream, so that the answer is the device's time and nothing else's: the L2 cache is flushed, and a
// kernel that waits holds the stream back until launch and both events are queued, so that launch latency stays out.
#pragma once

#include <cstddef>
#include <functional>

#include "cuda/driver_api.hpp"

namespace tilelab::cuda {

class Stopwatch {
 public:
  // `hold` is the stage's waiting kernel; `l2_bytes` the device's cache. Throws DriverError.
  Stopwatch(const Driver& driver, Function hold, std::size_t l2_bytes, int clock_khz);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // Nanoseconds that `launch`, which queues one kernel and returns the driver's answer, takes on the device. `trouble` is
  // the first error of launching or waiting; then the time means nothing. The end event counts only after the whole context
  // has come to rest, so nothing that a kernel left running can finish after it.
  // `waited`: queueing it took the host so long that the waiting kernel gave up or soon would, as where the driver queues nothing
  // before the device is idle. Such a launch can be timed no more often than that allows.
  struct Sample {
    double nanoseconds = 0;
    Result trouble = 0;
    bool waited = false;
  };
  Sample time(const std::function<Result()>& launch);

 private:
  const Driver& driver_;
  Function hold_;
  DeviceAddress flushed_ = 0, flag_address_ = 0;
  std::size_t flushed_bytes_;
  long long most_clocks_;
  volatile unsigned* flag_ = nullptr;  // in host memory that the device sees
  unsigned turn_ = 0;
  Event begin_ = nullptr, end_ = nullptr;
};

}  // namespace tilelab::cuda
