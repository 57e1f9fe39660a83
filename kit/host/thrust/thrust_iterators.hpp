// Thrust's iterators that lie in no memory, or that change what others give: counting, constant, discard, transform, zip, permutation. And
// how an algorithm runs here: on the host, on bare pointers, with a window to the device's memory where one of its iterators leads there
// or its policy says so. Iterators in its result get back the type that the caller gave.
#pragma once

#include <cstddef>
#include <iterator>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "device_window.hpp"
#include "runtime_types.hpp"
#include "thrust/device_pointer.hpp"

namespace thrust {

using std::get;
using std::make_pair;
using std::make_tuple;
using std::pair;
using std::tie;
using std::tuple;
using std::tuple_element;
using std::tuple_size;

namespace detail {

// What an iterator is apart from what it gives: `Own` has at(i), moved(n) and distance_to(other).
template <typename Own, typename Value, typename Reference>
class Stepping {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = Value;
  using difference_type = std::ptrdiff_t;
  using reference = Reference;
  using pointer = void;

  reference operator*() const { return own().at(0); }
  reference operator[](difference_type i) const { return own().at(i); }
  Own operator+(difference_type n) const { return own().moved(n); }
  Own operator-(difference_type n) const { return own().moved(-n); }
  friend Own operator+(difference_type n, const Own& one) { return one.moved(n); }
  difference_type operator-(const Own& other) const { return other.distance_to(own()); }
  Own& operator+=(difference_type n) { return own() = own().moved(n); }
  Own& operator-=(difference_type n) { return own() = own().moved(-n); }
  Own& operator++() { return *this += 1; }
  Own& operator--() { return *this -= 1; }
  Own operator++(int) {
    const Own before = own();
    *this += 1;
    return before;
  }
  Own operator--(int) {
    const Own before = own();
    *this -= 1;
    return before;
  }
  bool operator==(const Own& other) const { return own().distance_to(other) == 0; }
  bool operator!=(const Own& other) const { return own().distance_to(other) != 0; }
  bool operator<(const Own& other) const { return own().distance_to(other) > 0; }
  bool operator>(const Own& other) const { return own().distance_to(other) < 0; }
  bool operator<=(const Own& other) const { return own().distance_to(other) >= 0; }
  bool operator>=(const Own& other) const { return own().distance_to(other) <= 0; }

 private:
  Own& own() { return static_cast<Own&>(*this); }
  const Own& own() const { return static_cast<const Own&>(*this); }
};

template <typename It>
using value_of = typename std::iterator_traits<It>::value_type;
template <typename It>
using reference_of = typename std::iterator_traits<It>::reference;

}  // namespace detail

template <typename T, typename... Ignored>
class counting_iterator : public detail::Stepping<counting_iterator<T, Ignored...>, T, T> {
 public:
  counting_iterator() = default;
  explicit counting_iterator(T first) : first_(first) {}
  T at(std::ptrdiff_t i) const { return static_cast<T>(first_ + static_cast<T>(i)); }
  counting_iterator moved(std::ptrdiff_t n) const { return counting_iterator(at(n)); }
  std::ptrdiff_t distance_to(const counting_iterator& other) const {
    return static_cast<std::ptrdiff_t>(other.first_) - static_cast<std::ptrdiff_t>(first_);
  }

 private:
  T first_{};
};
template <typename T>
counting_iterator<T> make_counting_iterator(T first) {
  return counting_iterator<T>(first);
}

template <typename T>
class constant_iterator : public detail::Stepping<constant_iterator<T>, T, T> {
 public:
  explicit constant_iterator(T value, std::ptrdiff_t place = 0) : value_(value), place_(place) {}
  T at(std::ptrdiff_t) const { return value_; }
  constant_iterator moved(std::ptrdiff_t n) const { return constant_iterator(value_, place_ + n); }
  std::ptrdiff_t distance_to(const constant_iterator& other) const { return other.place_ - place_; }

 private:
  T value_;
  std::ptrdiff_t place_;
};
template <typename T>
constant_iterator<T> make_constant_iterator(T value, std::ptrdiff_t place = 0) {
  return constant_iterator<T>(value, place);
}

namespace detail {
struct Nowhere {
  template <typename T>
  const Nowhere& operator=(const T&) const {
    return *this;
  }
};
}  // namespace detail
class discard_iterator : public detail::Stepping<discard_iterator, detail::Nowhere, detail::Nowhere> {
 public:
  explicit discard_iterator(std::ptrdiff_t place = 0) : place_(place) {}
  detail::Nowhere at(std::ptrdiff_t) const { return {}; }
  discard_iterator moved(std::ptrdiff_t n) const { return discard_iterator(place_ + n); }
  std::ptrdiff_t distance_to(const discard_iterator& other) const { return other.place_ - place_; }

 private:
  std::ptrdiff_t place_;
};
inline discard_iterator make_discard_iterator(std::ptrdiff_t place = 0) { return discard_iterator(place); }

template <typename Function, typename It>
using transformed = std::decay_t<decltype(std::declval<const Function&>()(*std::declval<const It&>()))>;

template <typename Function, typename It>
class transform_iterator : public detail::Stepping<transform_iterator<Function, It>, transformed<Function, It>, transformed<Function, It>> {
 public:
  transform_iterator(It base, Function function) : base_(base), function_(function) {}
  transformed<Function, It> at(std::ptrdiff_t i) const { return function_(base_[i]); }
  transform_iterator moved(std::ptrdiff_t n) const { return transform_iterator(base_ + n, function_); }
  std::ptrdiff_t distance_to(const transform_iterator& other) const { return other.base_ - base_; }
  transform_iterator& operator=(const transform_iterator& other) {  // a lambda cannot be assigned
    base_ = other.base_;
    return *this;
  }
  transform_iterator(const transform_iterator&) = default;
  const It& base() const { return base_; }
  const Function& functor() const { return function_; }

 private:
  It base_;
  Function function_;
};
template <typename It, typename Function>
transform_iterator<Function, It> make_transform_iterator(It base, Function function) {
  return transform_iterator<Function, It>(base, function);
}

template <typename Elements, typename Indices>
class permutation_iterator
    : public detail::Stepping<permutation_iterator<Elements, Indices>, detail::value_of<Elements>, detail::reference_of<Elements>> {
 public:
  permutation_iterator(Elements elements, Indices indices) : elements_(elements), indices_(indices) {}
  detail::reference_of<Elements> at(std::ptrdiff_t i) const {
    return elements_[static_cast<std::ptrdiff_t>(static_cast<detail::value_of<Indices>>(indices_[i]))];
  }
  permutation_iterator moved(std::ptrdiff_t n) const { return permutation_iterator(elements_, indices_ + n); }
  std::ptrdiff_t distance_to(const permutation_iterator& other) const { return other.indices_ - indices_; }
  const Elements& elements() const { return elements_; }
  const Indices& indices() const { return indices_; }

 private:
  Elements elements_;
  Indices indices_;
};
template <typename Elements, typename Indices>
permutation_iterator<Elements, Indices> make_permutation_iterator(Elements elements, Indices indices) {
  return permutation_iterator<Elements, Indices>(elements, indices);
}

template <typename Tuple>
class zip_iterator;
template <typename... Its>
class zip_iterator<tuple<Its...>>
    : public detail::Stepping<zip_iterator<tuple<Its...>>, tuple<detail::value_of<Its>...>, tuple<detail::reference_of<Its>...>> {
 public:
  explicit zip_iterator(tuple<Its...> parts) : parts_(parts) {}
  tuple<detail::reference_of<Its>...> at(std::ptrdiff_t i) const {
    return std::apply([i](const Its&... each) { return tuple<detail::reference_of<Its>...>(each[i]...); }, parts_);
  }
  zip_iterator moved(std::ptrdiff_t n) const {
    return zip_iterator(std::apply([n](const Its&... each) { return tuple<Its...>((each + n)...); }, parts_));
  }
  std::ptrdiff_t distance_to(const zip_iterator& other) const { return std::get<0>(other.parts_) - std::get<0>(parts_); }
  const tuple<Its...>& get_iterator_tuple() const { return parts_; }

 private:
  tuple<Its...> parts_;
};
template <typename... Its>
zip_iterator<tuple<Its...>> make_zip_iterator(tuple<Its...> parts) {
  return zip_iterator<tuple<Its...>>(parts);
}
template <typename... Its>
zip_iterator<tuple<Its...>> make_zip_iterator(Its... parts) {
  return zip_iterator<tuple<Its...>>(tuple<Its...>(parts...));
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

// With iterators that lie in no memory Thrust runs on the device.
template <typename T>
struct InNoMemory {
  static constexpr bool of_device = true;
  static const T& from(const T& one) { return one; }
  static const T& back(const T& one) { return one; }
};
template <typename T>
struct Bare<counting_iterator<T>> : InNoMemory<counting_iterator<T>> {};
template <typename T>
struct Bare<constant_iterator<T>> : InNoMemory<constant_iterator<T>> {};

template <typename It>
struct Bare<std::reverse_iterator<It>> {
  static constexpr bool of_device = Bare<It>::of_device;
  using Inner = std::reverse_iterator<bare_t<It>>;
  static Inner from(const std::reverse_iterator<It>& one) { return Inner(Bare<It>::from(one.base())); }
  static std::reverse_iterator<It> back(const Inner& one) { return std::reverse_iterator<It>(Bare<It>::back(one.base())); }
};
template <typename Function, typename It>
struct Bare<transform_iterator<Function, It>> {
  static constexpr bool of_device = Bare<It>::of_device;
  using Inner = transform_iterator<Function, bare_t<It>>;
  static Inner from(const transform_iterator<Function, It>& one) { return Inner(Bare<It>::from(one.base()), one.functor()); }
  static transform_iterator<Function, It> back(const Inner& one) { return {Bare<It>::back(one.base()), one.functor()}; }
};
template <typename Elements, typename Indices>
struct Bare<permutation_iterator<Elements, Indices>> {
  static constexpr bool of_device = Bare<Elements>::of_device || Bare<Indices>::of_device;
  using Inner = permutation_iterator<bare_t<Elements>, bare_t<Indices>>;
  static Inner from(const permutation_iterator<Elements, Indices>& one) {
    return Inner(Bare<Elements>::from(one.elements()), Bare<Indices>::from(one.indices()));
  }
  static permutation_iterator<Elements, Indices> back(const Inner& one) {
    return {Bare<Elements>::back(one.elements()), Bare<Indices>::back(one.indices())};
  }
};
template <typename... Its>
struct Bare<zip_iterator<tuple<Its...>>> {
  static constexpr bool of_device = (Bare<Its>::of_device || ...);
  using Inner = zip_iterator<tuple<bare_t<Its>...>>;
  static Inner from(const zip_iterator<tuple<Its...>>& one) {
    return Inner(std::apply([](const Its&... each) { return tuple<bare_t<Its>...>(Bare<Its>::from(each)...); }, one.get_iterator_tuple()));
  }
  static zip_iterator<tuple<Its...>> back(const Inner& one) {
    return zip_iterator<tuple<Its...>>(
        std::apply([](const bare_t<Its>&... each) { return tuple<Its...>(Bare<Its>::back(each)...); }, one.get_iterator_tuple()));
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
    if constexpr (std::is_void_v<decltype(algorithm(Bare<Given>::from(given)...))>) {
      const tilelab_host::DeviceWindow window;
      algorithm(Bare<Given>::from(given)...);
      tilelab_host::DeviceWindow::tell_failure();
    } else {
      const tilelab_host::DeviceWindow window;
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
