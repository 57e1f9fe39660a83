#include "cuda/clock_reader.hpp"

#include <dlfcn.h>

namespace tilelab::cuda {
namespace {

constexpr int sm_clock = 1, memory_clock = 2, core_temperature = 0;  // NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU

template <class Pointer>
void find_counter(void* library, Pointer& function, const char* name) {
  function = reinterpret_cast<Pointer>(dlsym(library, name));
}

}  // namespace

// The library is never unloaded, because it is used until the process ends.
ClockReader::ClockReader(const std::string& bus_id) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  int (*init)() = nullptr;
  int (*by_bus_id)(const char*, void**) = nullptr;
  find_counter(library, init, "nvmlInit_v2");
  find_counter(library, by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2");
  find_counter(library, clock_, "nvmlDeviceGetClockInfo");
  find_counter(library, throttle_, "nvmlDeviceGetCurrentClocksThrottleReasons");
  find_counter(library, temperature_, "nvmlDeviceGetTemperature");
  find_counter(library, power_, "nvmlDeviceGetPowerUsage");
  if (init == nullptr || by_bus_id == nullptr || init() != 0) return;
  if (by_bus_id(bus_id.c_str(), &device_) != 0) device_ = nullptr;
}

protocol::ClockReading ClockReader::read() const {
  protocol::ClockReading reading;
  if (device_ == nullptr) return reading;
  unsigned long long reasons = 0;
  if (clock_ != nullptr) {
    if (clock_(device_, sm_clock, &reading.sm_mhz) != 0) reading.sm_mhz = 0;
    if (clock_(device_, memory_clock, &reading.memory_mhz) != 0) reading.memory_mhz = 0;
  }
  if (throttle_ != nullptr && throttle_(device_, &reasons) == 0) reading.throttle_reasons = reasons;
  if (temperature_ != nullptr && temperature_(device_, core_temperature, &reading.temperature_c) != 0) reading.temperature_c = 0;
  if (power_ != nullptr && power_(device_, &reading.power_mw) != 0) reading.power_mw = 0;
  return reading;
}

}  // namespace tilelab::cuda
