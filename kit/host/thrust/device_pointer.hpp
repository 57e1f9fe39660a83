// Thrust's pointer to memory of the device. Through it the host reads and writes single elements, each with a copy of its own.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "runtime_device.hpp"
#include "runtime_memory.hpp"

namespace thrust {

namespace detail {
inline void expect(cudaError_t error, const char* what) {
  if (error != cudaSuccess) throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(error) + ": " + cudaGetErrorString(error));
}

// What an iterator is apart from what it gives: `Own` has at(i), moved(n) and distance_to(other).
template <typename Own, typename Value, typename Reference, typename Pointer = void>
class Stepping {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using reference = Reference;
  using pointer = Pointer;

  reference operator*() const { return own().at(0); }
  reference operator[](difference_type i) const { return own().at(i); }
  Own& operator+=(difference_type n) { return own() = own().moved(n); }
  Own& operator-=(difference_type n) { return own() = own().moved(-n); }
  Own& operator++() { return *this += 1; }
  Own& operator--() { return *this -= 1; }
  Own operator++(int) { return (*this += 1).moved(-1); }
  Own operator--(int) { return (*this -= 1).moved(1); }
  friend Own operator+(const Own& one, difference_type n) { return one.moved(n); }
  friend Own operator+(difference_type n, const Own& one) { return one.moved(n); }
  friend Own operator-(const Own& one, difference_type n) { return one.moved(-n); }
  friend difference_type operator-(const Own& one, const Own& other) { return other.distance_to(one); }
  friend bool operator==(const Own& one, const Own& other) { return one.distance_to(other) == 0; }
  friend auto operator<=>(const Own& one, const Own& other) { return other.distance_to(one) <=> 0; }

 private:
  Own& own() { return static_cast<Own&>(*this); }
  const Own& own() const { return static_cast<const Own&>(*this); }
};
}  // namespace detail

template <typename T>
class device_ptr;

template <typename T>
class device_reference {
 public:
  using value_type = std::remove_const_t<T>;
  explicit device_reference(T* at) : at_(at) {}
  device_reference(const device_reference&) = default;

  operator value_type() const {
    value_type here;
    detail::expect(cudaMemcpy(&here, at_, sizeof here, cudaMemcpyDeviceToHost), "a read of an element");
    return here;
  }
  const device_reference& operator=(const value_type& value) const {
    detail::expect(cudaMemcpy(const_cast<value_type*>(at_), &value, sizeof value, cudaMemcpyHostToDevice), "a write of an element");
    return *this;
  }
  const device_reference& operator=(const device_reference& other) const { return *this = static_cast<value_type>(other); }
  template <typename U>
  const device_reference& operator=(const device_reference<U>& other) const {
    return *this = static_cast<value_type>(static_cast<typename device_reference<U>::value_type>(other));
  }
  device_ptr<T> operator&() const { return device_ptr<T>(at_); }

  const device_reference& operator+=(const value_type& value) const { return *this = static_cast<value_type>(*this) + value; }
  const device_reference& operator-=(const value_type& value) const { return *this = static_cast<value_type>(*this) - value; }
  const device_reference& operator*=(const value_type& value) const { return *this = static_cast<value_type>(*this) * value; }
  const device_reference& operator/=(const value_type& value) const { return *this = static_cast<value_type>(*this) / value; }
  const device_reference& operator++() const { return *this += value_type(1); }
  const device_reference& operator--() const { return *this -= value_type(1); }

  friend std::ostream& operator<<(std::ostream& out, const device_reference& one) { return out << static_cast<value_type>(one); }
  friend void swap(const device_reference& one, const device_reference& other) {
    const value_type kept = one;
    one = other;
    other = kept;
  }

 private:
  T* at_;
};

template <typename T>
class device_ptr : public detail::Stepping<device_ptr<T>, std::remove_const_t<T>, device_reference<T>, device_ptr<T>> {
 public:
  using element_type = T;
  using raw_pointer = T*;

  device_ptr() = default;
  device_ptr(std::nullptr_t) {}
  explicit device_ptr(T* at) : at_(at) {}
  template <typename U, typename = std::enable_if_t<std::is_convertible_v<U*, T*>>>
  device_ptr(const device_ptr<U>& other) : at_(other.get()) {}

  T* get() const { return at_; }
  explicit operator bool() const { return at_ != nullptr; }
  device_reference<T> at(std::ptrdiff_t i) const { return device_reference<T>(at_ + i); }
  device_ptr moved(std::ptrdiff_t n) const { return device_ptr(at_ + n); }
  std::ptrdiff_t distance_to(const device_ptr& other) const { return other.at_ - at_; }
  friend std::ostream& operator<<(std::ostream& out, device_ptr one) { return out << static_cast<const void*>(one.at_); }

 private:
  T* at_ = nullptr;
};

template <typename T>
device_ptr<T> device_pointer_cast(T* at) {
  return device_ptr<T>(at);
}
template <typename T>
device_ptr<T> device_pointer_cast(const device_ptr<T>& at) {
  return at;
}
template <typename T>
T* raw_pointer_cast(const device_ptr<T>& at) {
  return at.get();
}
template <typename T>
T* raw_pointer_cast(T* at) {
  return at;
}

template <typename T>
device_ptr<T> device_malloc(std::size_t count) {
  void* made = nullptr;
  detail::expect(cudaMalloc(&made, count * sizeof(T)), "device_malloc");
  return device_ptr<T>(static_cast<T*>(made));
}
template <typename T>
void device_free(device_ptr<T> at) {
  detail::expect(cudaFree(const_cast<std::remove_const_t<T>*>(at.get())), "device_free");
}

}  // namespace thrust
