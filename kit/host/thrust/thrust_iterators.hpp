// Thrust's iterators that lie in no memory, or that change what others give: counting, constant, discard, transform, zip, permutation. And
// how an algorithm runs here: on the host, on bare pointers, with a window to the device's memory where one of its iterators leads there
// or its policy says so. Iterators in its result get back the type that the caller gave.
#pragma once

#include <compare>
#include <cstddef>
#include <iterator>
#include <ostream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device_window.hpp"
#include "runtime_device.hpp"
#include "runtime_memory.hpp"

namespace thrust {

// Thrust's pointer to memory of the device. Through it the host reads and writes single elements, each with a copy of its own.

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

using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

namespace detail {

template <typename It>
using value_of = typename std::iterator_traits<It>::value_type;

// The type of an element, by what an iterator gives for it.
template <typename Reference>
struct Element {
  using type = std::decay_t<Reference>;
};
template <typename T>
struct Element<device_reference<T>> {
  using type = std::remove_const_t<T>;
};
template <typename... References>
struct Element<tuple<References...>> {
  using type = tuple<typename Element<References>::type...>;
};

template <typename Rule, typename... Its>
using result_of = decltype(std::declval<const Rule&>()(std::ptrdiff_t{}, std::declval<const Its&>()...));

// An iterator whose i-th element the rule makes of i and other iterators, all of which begin where this one does.
template <typename Rule, typename... Its>
class Adapted : public Stepping<Adapted<Rule, Its...>, typename Element<result_of<Rule, Its...>>::type, result_of<Rule, Its...>> {
 public:
  explicit Adapted(Its... parts, Rule rule = Rule(), std::ptrdiff_t place = 0) : parts_(parts...), rule_(rule), place_(place) {}
  explicit Adapted(tuple<Its...> parts) : parts_(parts) {}
  Adapted(const Adapted&) = default;
  Adapted& operator=(const Adapted& other) {
    parts_ = other.parts_;
    if constexpr (std::is_copy_assignable_v<Rule>) rule_ = other.rule_;  // a lambda is not
    place_ = other.place_;
    return *this;
  }
  result_of<Rule, Its...> at(std::ptrdiff_t i) const {
    return std::apply([&](const Its&... each) -> result_of<Rule, Its...> { return rule_(place_ + i, each...); }, parts_);
  }
  Adapted moved(std::ptrdiff_t n) const {
    return std::apply([&](const Its&... each) { return Adapted(each..., rule_, place_ + n); }, parts_);
  }
  std::ptrdiff_t distance_to(const Adapted& other) const {
    return rule_.distance(parts_, other.parts_, other.rule_) + other.place_ - place_;
  }
  const tuple<Its...>& parts() const { return parts_; }
  const Rule& rule() const { return rule_; }
  std::ptrdiff_t place() const { return place_; }

 private:
  tuple<Its...> parts_;
  Rule rule_{};
  std::ptrdiff_t place_ = 0;
};

// A rule about other iterators. `measured`: the one of them that tells how far two adapted iterators are apart.
template <std::size_t measured = 0>
struct OfParts {
  template <typename Parts, typename Rule>
  static std::ptrdiff_t distance(const Parts& parts, const Parts& others, const Rule&) {
    return std::get<measured>(others) - std::get<measured>(parts);
  }
};
// A rule about a number alone. With such iterators Thrust runs on the device, but for discard_iterator.
template <typename T>
struct Counting {
  static constexpr bool of_device = true;
  T first;
  Counting(T one = T()) : first(one) {}
  T operator()(std::ptrdiff_t i) const { return static_cast<T>(first + static_cast<T>(i)); }
  std::ptrdiff_t distance(const tuple<>&, const tuple<>&, const Counting& other) const {
    return static_cast<std::ptrdiff_t>(other.first) - static_cast<std::ptrdiff_t>(first);
  }
};
template <typename T>
struct Constant {
  static constexpr bool of_device = true;
  T value;
  Constant(T one = T()) : value(one) {}
  T operator()(std::ptrdiff_t) const { return value; }
  static std::ptrdiff_t distance(const tuple<>&, const tuple<>&, const Constant&) { return 0; }
};
struct Nowhere {
  template <typename T>
  const Nowhere& operator=(const T&) const {
    return *this;
  }
};
struct Discarding {
  static constexpr bool of_device = false;
  Nowhere operator()(std::ptrdiff_t) const { return {}; }
  static std::ptrdiff_t distance(const tuple<>&, const tuple<>&, const Discarding&) { return 0; }
};
template <typename Function>
struct Transforming : OfParts<> {
  Function function;
  Transforming(Function one) : function(one) {}
  template <typename It>
  auto operator()(std::ptrdiff_t i, const It& base) const {
    return function(base[i]);
  }
};
struct Permuting : OfParts<1> {
  template <typename Elements, typename Indices>
  decltype(auto) operator()(std::ptrdiff_t i, const Elements& elements, const Indices& indices) const {
    return elements[static_cast<std::ptrdiff_t>(static_cast<value_of<Indices>>(indices[i]))];
  }
};
struct Zipping : OfParts<> {
  template <typename... Its>
  auto operator()(std::ptrdiff_t i, const Its&... each) const {
    return tuple<decltype(each[i])...>(each[i]...);
  }
};
template <typename Tuple>
struct Zipped;
template <typename... Its>
struct Zipped<tuple<Its...>> {
  using type = Adapted<Zipping, Its...>;
};

}  // namespace detail

template <typename T, typename... Ignored>
using counting_iterator = detail::Adapted<detail::Counting<T>>;
template <typename T>
using constant_iterator = detail::Adapted<detail::Constant<T>>;
using discard_iterator = detail::Adapted<detail::Discarding>;
template <typename Function, typename It>
using transform_iterator = detail::Adapted<detail::Transforming<Function>, It>;
template <typename Elements, typename Indices>
using permutation_iterator = detail::Adapted<detail::Permuting, Elements, Indices>;
template <typename Tuple>
using zip_iterator = typename detail::Zipped<Tuple>::type;

template <typename T>
counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}
template <typename T>
constant_iterator<T> make_constant_iterator(T value, std::ptrdiff_t place = 0) {
  return constant_iterator<T>(value, place);
}
inline discard_iterator make_discard_iterator(std::ptrdiff_t place = 0) { return discard_iterator({}, place); }
template <typename It, typename Function>
transform_iterator<Function, It> make_transform_iterator(It base, Function function) {
  return transform_iterator<Function, It>(base, function);
}
template <typename Elements, typename Indices>
permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements, Indices indices) {
  return permutation_iterator<Elements, Indices>(elements, indices);
}
template <typename... Its>
zip_iterator<tuple<Its...>> make_zip_iterator(tuple<Its...> parts) {
  return zip_iterator<tuple<Its...>>(parts);
}
template <typename... Its>
zip_iterator<tuple<Its...>> make_zip_iterator(Its... parts) {
  return zip_iterator<tuple<Its...>>(parts...);
}

using std::make_reverse_iterator;
using std::reverse_iterator;

namespace detail {

struct HostPolicy {
  static constexpr bool is_policy = true, of_device = false;
};
struct DevicePolicy {
  static constexpr bool is_policy = true, of_device = true;
  DevicePolicy on(cudaStream_t) const { return {}; }
  template <typename Allocator>
  DevicePolicy operator()(Allocator&&) const {
    return {};
  }
};
template <typename T, typename = void>
struct is_policy : std::false_type {};
template <typename T>
struct is_policy<T, std::void_t<decltype(T::is_policy)>> : std::true_type {};

template <typename T>
struct Bare {
  static constexpr bool of_device = false;
  static const T& from(const T& one) { return one; }
  static const T& back(const T& one) { return one; }
};
template <typename T>
struct Bare<device_ptr<T>> {
  static constexpr bool of_device = true;
  static T* from(const device_ptr<T>& one) { return one.get(); }
  static device_ptr<T> back(T* one) { return device_ptr<T>(one); }
};
template <typename T>
using bare_t = std::decay_t<decltype(Bare<T>::from(std::declval<const T&>()))>;

template <typename It>
struct Bare<std::reverse_iterator<It>> {
  static constexpr bool of_device = Bare<It>::of_device;
  using Inner = std::reverse_iterator<bare_t<It>>;
  static Inner from(const std::reverse_iterator<It>& one) { return Inner(Bare<It>::from(one.base())); }
  static std::reverse_iterator<It> back(const Inner& one) { return std::reverse_iterator<It>(Bare<It>::back(one.base())); }
};
template <typename Rule, typename... Its>
struct Bare<Adapted<Rule, Its...>> {
  using Outer = Adapted<Rule, Its...>;
  using Inner = Adapted<Rule, bare_t<Its>...>;
  static constexpr bool of_device = [] {
    if constexpr (sizeof...(Its) == 0)
      return Rule::of_device;
    else
      return (Bare<Its>::of_device || ...);
  }();
  static Inner from(const Outer& one) {
    return std::apply([&](const Its&... each) { return Inner(Bare<Its>::from(each)..., one.rule(), one.place()); }, one.parts());
  }
  static Outer back(const Inner& one) {
    return std::apply([&](const bare_t<Its>&... each) { return Outer(Bare<Its>::back(each)..., one.rule(), one.place()); }, one.parts());
  }
};

// The argument whose bare type the result has, and which is not bare itself, says what the caller gets.
template <typename Result, typename... Given>
struct Dressed {
  using type = Result;
};
template <typename Result, typename First, typename... Rest>
struct Dressed<Result, First, Rest...> : std::conditional_t<std::is_same_v<bare_t<First>, Result> && !std::is_same_v<First, Result>,
                                                            std::common_type<First>, Dressed<Result, Rest...>> {};
template <typename... Given, typename Result>
auto dressed(const Result& result) {
  using Caller = typename Dressed<Result, Given...>::type;
  if constexpr (std::is_same_v<Caller, Result>)
    return result;
  else
    return Bare<Caller>::back(result);
}
template <typename... Given, typename First, typename Second>
auto dressed(const std::pair<First, Second>& result) {
  return std::make_pair(dressed<Given...>(result.first), dressed<Given...>(result.second));
}

template <bool of_device, typename Algorithm, typename... Given>
auto run_here(Algorithm algorithm, const Given&... given) {
  if constexpr (of_device || (Bare<Given>::of_device || ...)) {
    const tilelab_host::DeviceWindow window;
    if constexpr (std::is_void_v<decltype(algorithm(Bare<Given>::from(given)...))>) {
      algorithm(Bare<Given>::from(given)...);
      tilelab_host::DeviceWindow::tell_failure();
    } else {
      auto result = algorithm(Bare<Given>::from(given)...);
      tilelab_host::DeviceWindow::tell_failure();
      return dressed<Given...>(result);
    }
  } else {
    return algorithm(given...);
  }
}
template <typename Algorithm, typename First, typename... Given>
auto run(Algorithm algorithm, const First& first, const Given&... given) {
  if constexpr (is_policy<First>::value)
    return run_here<First::of_device>(algorithm, given...);
  else
    return run_here<false>(algorithm, first, given...);
}

}  // namespace detail

inline constexpr detail::HostPolicy host{}, seq{};
inline constexpr detail::DevicePolicy device{};
namespace cuda {
inline constexpr detail::DevicePolicy par{}, par_nosync{};
}
namespace system::cuda {
using thrust::cuda::par;
}

}  // namespace thrust
