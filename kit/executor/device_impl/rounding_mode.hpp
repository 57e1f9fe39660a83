// Sets the processor's rounding mode while this object lives. No fiber may switch meanwhile, because the mode belongs to the
// operating-system thread.
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
