// Stands in for the header of this name beside NVIDIA's samples: a stopwatch of the host's clock. Times are in milliseconds.
#pragma once

#include <chrono>

class StopWatchInterface {
 public:
  void start() { from_ = Clock::now(), running_ = true; }
  void stop() {
    sum_ += running();
    running_ = false;
    ++runs_;
  }
  void reset() { sum_ = 0, runs_ = 0, from_ = Clock::now(); }
  float getTime() const { return sum_ + running(); }
  float getAverageTime() const { return runs_ > 0 ? sum_ / static_cast<float>(runs_) : 0.0f; }

 private:
  using Clock = std::chrono::steady_clock;
  float running() const { return running_ ? std::chrono::duration<float, std::milli>(Clock::now() - from_).count() : 0.0f; }

  Clock::time_point from_;
  float sum_ = 0;
  int runs_ = 0;
  bool running_ = false;
};

inline bool sdkCreateTimer(StopWatchInterface** timer) { return (*timer = new StopWatchInterface) != nullptr; }
inline bool sdkDeleteTimer(StopWatchInterface** timer) {
  delete *timer;
  *timer = nullptr;
  return true;
}
inline bool sdkStartTimer(StopWatchInterface** timer) { return *timer ? ((*timer)->start(), true) : false; }
inline bool sdkStopTimer(StopWatchInterface** timer) { return *timer ? ((*timer)->stop(), true) : false; }
inline bool sdkResetTimer(StopWatchInterface** timer) { return *timer ? ((*timer)->reset(), true) : false; }
inline float sdkGetTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getTime() : -1.0f; }
inline float sdkGetAverageTimerValue(StopWatchInterface** timer) { return *timer ? (*timer)->getAverageTime() : 0.0f; }
