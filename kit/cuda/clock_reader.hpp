// What NVML says about a device's clocks. It is found in libnvidia-ml.so.1 when the program runs; without it, readings are zero.
// Nothing is decided by them: they help a person who asks why two runs differ.
#pragma once

#include <string>

#include "protocol/timing_message.hpp"

namespace tilelab::cuda {

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
