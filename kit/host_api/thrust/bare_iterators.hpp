// How an algorithm of Thrust runs here: on the host, on bare pointers, with a window to the device's memory where one of its iterators
// leads there or its policy says so. Iterators in its result get back the type that the caller gave.
#pragma once

#include <iterator>
#include <optional>
#include <type_traits>
#include <utility>

#include "device_window.hpp"
#include "runtime_types.hpp"
#include "thrust/device_pointer.hpp"
#include "thrust/fancy_iterators.hpp"

namespace thrust {
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
