// The processor's rounding mode for as long as this lives. No fiber may switch meanwhile: the mode is the thread's.
#pragma once

#include <cfenv>

namespace tilelab::simt {

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : before_(std::fegetround()) { std::fesetround(mode); }
  ~RoundingMode() { std::fesetround(before_); }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  int before_;
};

}  // namespace tilelab::simt
