#include "gpu/stopwatch.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>

namespace tilelab::cuda {
namespace {

constexpr std::size_t flag_bytes = sizeof(unsigned), least_flushed_bytes = std::size_t{32} << 20;
constexpr std::chrono::milliseconds longest_queueing(500);  // normally a launch is queued within microseconds
constexpr int hold_seconds = 2, usual_clock_khz = 1'500'000;

}  // namespace

Stopwatch::Stopwatch(const Driver& driver, Function hold, std::size_t l2_bytes, int clock_khz)
    : driver_(driver), hold_(hold), flushed_bytes_(std::max(2 * l2_bytes, least_flushed_bytes)),
      most_clocks_(static_cast<long long>(clock_khz > 0 ? clock_khz : usual_clock_khz) * 1000 * hold_seconds) {
  driver_.check(driver_.memory_allocate(&flushed_, flushed_bytes_), "cuMemAlloc");
  void* flag = nullptr;
  driver_.check(driver_.host_allocate(&flag, flag_bytes, host_memory_mapped), "cuMemHostAlloc");
  flag_ = static_cast<volatile unsigned*>(flag);
  *flag_ = turn_;
  driver_.check(driver_.host_address(&flag_address_, flag, 0), "cuMemHostGetDevicePointer");
  driver_.check(driver_.event_create(&begin_, 0), "cuEventCreate");
  driver_.check(driver_.event_create(&end_, 0), "cuEventCreate");
}

Stopwatch::~Stopwatch() {
  if (end_ != nullptr) driver_.event_destroy(end_);
  if (begin_ != nullptr) driver_.event_destroy(begin_);
  if (flag_ != nullptr) driver_.host_free(const_cast<unsigned*>(flag_));
  if (flushed_ != 0) driver_.memory_free(flushed_);
}

Stopwatch::Sample Stopwatch::time(const std::function<Result()>& launch) {
  driver_.check(driver_.fill_words(flushed_, ++turn_, flushed_bytes_ / flag_bytes), "cuMemsetD32");
  DeviceAddress flag = flag_address_;
  unsigned turn = turn_;
  long long most_clocks = most_clocks_;
  void* parameters[] = {&flag, &turn, &most_clocks};
  driver_.check(driver_.launch_kernel(hold_, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), "the waiting kernel");
  driver_.check(driver_.event_record(begin_, nullptr), "cuEventRecord");
  const auto asked = std::chrono::steady_clock::now();
  const Result launched = launch();
  const bool waited = std::chrono::steady_clock::now() - asked > longest_queueing;
  const Result recorded = driver_.event_record(end_, nullptr);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  *flag_ = turn_;
  const Result ended = driver_.context_synchronize();
  for (const Result result : {launched, recorded, ended}) {
    if (result != 0) return {.nanoseconds = 0, .trouble = result, .waited = waited};
  }
  float milliseconds = 0;
  driver_.check(driver_.event_elapsed(&milliseconds, begin_, end_), "cuEventElapsedTime");
  return {.nanoseconds = 1e6 * static_cast<double>(milliseconds), .trouble = 0, .waited = waited};
}

namespace {

constexpr int sm_clock = 1, memory_clock = 2, core_temperature = 0;  // NVML_CLOCK_SM, NVML_CLOCK_MEM, NVML_TEMPERATURE_GPU

}  // namespace

// The library is never unloaded, because it is used until the process ends.
ClockReader::ClockReader(const std::string& bus_id) {
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return;
  const auto counter = [library](const char* name) { return Symbol{dlsym(library, name)}; };
  int (*const init)() = counter("nvmlInit_v2");
  int (*const by_bus_id)(const char*, void**) = counter("nvmlDeviceGetHandleByPciBusId_v2");
  clock_ = counter("nvmlDeviceGetClockInfo");
  throttle_ = counter("nvmlDeviceGetCurrentClocksThrottleReasons");
  temperature_ = counter("nvmlDeviceGetTemperature");
  power_ = counter("nvmlDeviceGetPowerUsage");
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
