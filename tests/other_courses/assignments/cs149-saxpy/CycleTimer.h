// The clock that files of this course use, seconds since its first call, and a function that older files have from the course's main file.
#pragma once

#include <chrono>
#include <cstdint>
#include <cstdlib>

class CycleTimer {
 public:
  static double currentSeconds() {
    static const auto first = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - first).count();
  }
  static double secondsPerTick() { return 1.0; }
  static double ticksPerSecond() { return 1.0; }
  static double currentTicks() { return currentSeconds(); }
};

// Gigabytes in a second.
inline float toBW(int bytes, float seconds) { return static_cast<float>(bytes) / (1024.f * 1024.f * 1024.f) / seconds; }
