// As much of Thrust as a file of this course names in a function that the course calls for comparison, and that is not called here: the
// names are declared and do nothing. A program that uses them does not link.
#pragma once

#include <cstddef>

namespace thrust {

template <typename T>
class device_ptr {
 public:
  device_ptr() = default;
  explicit device_ptr(T *pointer) : pointer_(pointer) {}
  T *get() const { return pointer_; }
  device_ptr operator+(std::ptrdiff_t distance) const { return device_ptr(pointer_ + distance); }

 private:
  T *pointer_ = nullptr;
};

template <typename T>
device_ptr<T> device_pointer_cast(T *pointer) {
  return device_ptr<T>(pointer);
}

}  // namespace thrust
