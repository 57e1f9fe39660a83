// As much of Thrust as a file of this course names in a function that compares with it, and that nothing calls here: the names are there,
// and who calls one of the library's functions is ended. A student is to write the scan.
#pragma once

#include <cstddef>
#include <cstdlib>

namespace thrust {

template <typename T>
class device_ptr {
 public:
  device_ptr() = default;
  explicit device_ptr(T* pointer) : pointer_(pointer) {}
  T* get() const { return pointer_; }
  device_ptr operator+(std::ptrdiff_t distance) const { return device_ptr(pointer_ + distance); }

 private:
  T* pointer_ = nullptr;
};

template <typename T>
device_ptr<T> device_pointer_cast(T* pointer) {
  return device_ptr<T>(pointer);
}

}  // namespace thrust
