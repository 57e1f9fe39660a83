// Times one launch on the null stream, and measures device time alone. It flushes the L2 cache first. A waiting kernel holds the
// stream back until the launch and both events are queued, so that launch latency is not measured.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "gpu/driver_api.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::cuda {

class Stopwatch {
 public:
  // `hold` is the stage's waiting kernel; `l2_bytes` is the size of the device's cache. Throws DriverError.
  Stopwatch(const Driver& driver, Function hold, std::size_t l2_bytes, int clock_khz);
  ~Stopwatch();
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

  // `launch` queues one kernel and returns the driver's answer; `nanoseconds` is its time on the device. `trouble` is the first
  // error of launching or waiting; if there is one, the time means nothing. The time is read only after the whole context is
  // idle, so no work that a kernel started can end later. `waited`: queueing took the host so long that the waiting kernel gave
  // up or soon would. That happens if the driver queues nothing before the device is idle. Such a launch cannot be timed.
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
  volatile unsigned* flag_ = nullptr;  // in host memory that the device can read
  unsigned turn_ = 0;
  Event begin_ = nullptr, end_ = nullptr;
};

// What NVML says about a device's clocks. It is found in libnvidia-ml.so.1 when the program runs; without it, readings are zero.
// Nothing is decided by them: they help a person who asks why two runs differ.

class ClockReader {
 public:
  // `bus_id`: as cuDeviceGetPCIBusId writes it.
  explicit ClockReader(const std::string& bus_id);
  protocol::ClockReading read() const;

 private:
  void* device_ = nullptr;  // null: nothing can be read
  int (*clock_)(void*, int, unsigned*) = nullptr;
  int (*throttle_)(void*, unsigned long long*) = nullptr;
  int (*temperature_)(void*, int, unsigned*) = nullptr;
  int (*power_)(void*, unsigned*) = nullptr;
};

}  // namespace tilelab::cuda
