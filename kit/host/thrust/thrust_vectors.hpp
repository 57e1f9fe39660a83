// thrust::host_vector, which is a vector of the host, and thrust::device_vector, whose elements lie in the device's memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>

#include "thrust/thrust_iterators.hpp"

namespace thrust {

template <typename T>
class device_allocator {};
template <typename T, typename... Ignored>
class device_vector;

namespace detail {
template <typename It>
using if_iterator = typename std::iterator_traits<It>::iterator_category;

// Elements that follow each other in the host's memory.
template <typename T, typename It>
constexpr bool follow_each_other =
    std::is_same_v<It, T*> || std::is_same_v<It, const T*> || std::is_same_v<It, typename std::vector<T>::iterator> ||
    std::is_same_v<It, typename std::vector<T>::const_iterator>;

template <typename It, typename T>
void copy_to_device(It first, std::size_t count, T* to) {
  if (count == 0) return;
  if constexpr (follow_each_other<T, It>) {
    expect(cudaMemcpy(to, &*first, count * sizeof(T), cudaMemcpyDefault), "a copy to the device");
  } else if constexpr (Bare<It>::of_device) {
    if constexpr (std::is_same_v<It, device_ptr<T>> || std::is_same_v<It, device_ptr<const T>>)
      expect(cudaMemcpy(to, first.get(), count * sizeof(T), cudaMemcpyDeviceToDevice), "a copy on the device");
    else
      run_here<true>([](auto from, std::size_t n, T* at) { std::copy_n(from, n, at); }, first, count, to);
  } else {
    std::vector<T> here(count);
    std::copy_n(first, count, here.begin());
    expect(cudaMemcpy(to, here.data(), count * sizeof(T), cudaMemcpyHostToDevice), "a copy to the device");
  }
}
template <typename T, typename It>
It copy_to_host(const T* from, std::size_t count, It to) {
  if (count == 0) return to;
  using Value = typename std::iterator_traits<It>::value_type;
  if constexpr (follow_each_other<T, It>) {
    expect(cudaMemcpy(&*to, from, count * sizeof(T), cudaMemcpyDefault), "a copy to the host");
    return to + static_cast<std::ptrdiff_t>(count);
  } else {
    std::vector<T> here(count);
    expect(cudaMemcpy(here.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "a copy to the host");
    return std::transform(here.begin(), here.end(), to, [](const T& one) {
      if constexpr (std::is_void_v<Value>)
        return one;
      else
        return static_cast<Value>(one);
    });
  }
}
}  // namespace detail

template <typename T, typename... Ignored>
class host_vector : public std::vector<T> {
 public:
  using std::vector<T>::vector;
  host_vector() = default;
  host_vector(const std::vector<T>& other) : std::vector<T>(other) {}
  template <typename U, typename... More>
  host_vector(const host_vector<U, More...>& other) : std::vector<T>(other.begin(), other.end()) {}
  template <typename U, typename... More>
  host_vector(const device_vector<U, More...>& other) : std::vector<T>(other.size()) {
    detail::copy_to_host(other.data().get(), other.size(), this->begin());
  }
  host_vector(device_ptr<T> first, device_ptr<T> last) : std::vector<T>(static_cast<std::size_t>(last - first)) {
    detail::copy_to_host(first.get(), this->size(), this->begin());
  }
  template <typename U, typename... More>
  host_vector& operator=(const device_vector<U, More...>& other) {
    this->resize(other.size());
    detail::copy_to_host(other.data().get(), other.size(), this->begin());
    return *this;
  }
};

template <typename T, typename... Ignored>
class device_vector {
  static_assert(std::is_trivially_copyable_v<T>, "an element of the device is copied byte by byte");

 public:
  using value_type = T;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using pointer = device_ptr<T>;
  using const_pointer = device_ptr<const T>;
  using reference = device_reference<T>;
  using const_reference = device_reference<const T>;
  using iterator = device_ptr<T>;
  using const_iterator = device_ptr<const T>;

  device_vector() = default;
  explicit device_vector(std::size_t count) { resize(count); }
  device_vector(std::size_t count, const T& value) { resize(count, value); }
  template <typename It, typename = detail::if_iterator<It>>
  device_vector(It first, It last) {
    assign(first, last);
  }
  device_vector(std::initializer_list<T> values) { assign(values.begin(), values.end()); }
  device_vector(const device_vector& other) { assign(other.begin(), other.end()); }
  device_vector(device_vector&& other) noexcept { swap(other); }
  template <typename U>
  device_vector(const device_vector<U>& other) {
    assign(other.begin(), other.end());
  }
  template <typename U>
  device_vector(const std::vector<U>& other) {
    assign(other.begin(), other.end());
  }
  ~device_vector() { (void)cudaFree(data_); }
  device_vector& operator=(const device_vector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  device_vector& operator=(device_vector&& other) noexcept {
    swap(other);
    return *this;
  }
  template <typename Other, typename = decltype(std::declval<const Other&>().begin())>
  device_vector& operator=(const Other& other) {
    assign(other.begin(), other.end());
    return *this;
  }
  device_vector& operator=(std::initializer_list<T> values) { return operator= <std::initializer_list<T>>(values); }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return room_; }
  std::size_t max_size() const { return static_cast<std::size_t>(-1) / sizeof(T); }
  bool empty() const { return size_ == 0; }
  iterator begin() { return iterator(data_); }
  iterator end() { return iterator(data_ + size_); }
  const_iterator begin() const { return const_iterator(data_); }
  const_iterator end() const { return const_iterator(data_ + size_); }
  const_iterator cbegin() const { return begin(); }
  const_iterator cend() const { return end(); }
  auto rbegin() { return std::reverse_iterator<iterator>(end()); }
  auto rend() { return std::reverse_iterator<iterator>(begin()); }
  pointer data() { return pointer(data_); }
  const_pointer data() const { return const_pointer(data_); }
  reference operator[](std::size_t i) { return reference(data_ + i); }
  const_reference operator[](std::size_t i) const { return const_reference(data_ + i); }
  reference front() { return reference(data_); }
  const_reference front() const { return const_reference(data_); }
  reference back() { return reference(data_ + size_ - 1); }
  const_reference back() const { return const_reference(data_ + size_ - 1); }

  void reserve(std::size_t count) {
    if (count > room_) move_to(count);
  }
  void shrink_to_fit() {
    if (room_ > size_) move_to(size_);
  }
  void resize(std::size_t count, const T& value = T()) {
    reserve(count);
    if (count > size_) fill(data_ + size_, count - size_, value);
    size_ = count;
  }
  void clear() { size_ = 0; }
  void push_back(const T& value) {
    if (size_ == room_) move_to(std::max<std::size_t>(1, 2 * room_));
    detail::copy_to_device(&value, 1, data_ + size_++);
  }
  void pop_back() { --size_; }
  void assign(std::size_t count, const T& value) {
    clear();
    resize(count, value);
  }
  template <typename It, typename = detail::if_iterator<It>>
  void assign(It first, It last) {
    const auto count = static_cast<std::size_t>(std::distance(first, last));
    reserve(count);
    detail::copy_to_device(first, count, data_);
    size_ = count;
  }
  iterator erase(iterator first, iterator last) {
    std::vector<T> behind(static_cast<std::size_t>(end() - last));
    detail::copy_to_host(last.get(), behind.size(), behind.begin());
    detail::copy_to_device(behind.begin(), behind.size(), first.get());
    size_ -= static_cast<std::size_t>(last - first);
    return first;
  }
  iterator erase(iterator one) { return erase(one, one + 1); }
  void swap(device_vector& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(room_, other.room_);
  }
  friend bool operator==(const device_vector& one, const device_vector& other) {
    return static_cast<const std::vector<T>&>(host_vector<T>(one)) == static_cast<const std::vector<T>&>(host_vector<T>(other));
  }

 private:
  static void fill(T* first, std::size_t count, const T& value) {
    const std::vector<T> here(count, value);
    detail::copy_to_device(here.data(), count, first);
  }
  void move_to(std::size_t room) {
    void* made = nullptr;
    if (room > 0) detail::expect(cudaMalloc(&made, room * sizeof(T)), "memory of a vector");
    if (size_ > 0) detail::expect(cudaMemcpy(made, data_, size_ * sizeof(T), cudaMemcpyDeviceToDevice), "a copy on the device");
    (void)cudaFree(data_);
    data_ = static_cast<T*>(made);
    room_ = room;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0, room_ = 0;
};

template <typename T>
void swap(device_vector<T>& one, device_vector<T>& other) noexcept {
  one.swap(other);
}
using std::swap;

}  // namespace thrust
