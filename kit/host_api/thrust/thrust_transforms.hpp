// Thrust's algorithms that take each element for itself: for_each, transform, copies, fills, gather and scatter, replace, remove.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <vector>

#include "thrust/bare_iterators.hpp"
#include "thrust/thrust_vectors.hpp"

namespace thrust {
namespace detail {

// `name(policy, arguments…)` and `name(arguments…)`.
#define TILELAB_THRUST(name, algorithm)                                                                 \
  template <typename... Arguments>                                                                      \
  auto name(const Arguments&... arguments) {                                                            \
    return detail::run([](const auto&... given) { return detail::algorithm(given...); }, arguments...); \
  }

template <typename It, typename Function>
It each(It first, It last, Function function) {
  for (; first != last; ++first) function(*first);
  return first;
}
template <typename It, typename Size, typename Function>
It each_of(It first, Size count, Function function) {
  for (Size i = 0; i < count; ++i, ++first) function(*first);
  return first;
}
template <typename In, typename Out, typename Function>
Out change(In first, In last, Out to, Function function) {
  for (; first != last; ++first, ++to) *to = function(*first);
  return to;
}
template <typename In, typename In2, typename Out, typename Function>
Out change(In first, In last, In2 second, Out to, Function function) {
  for (; first != last; ++first, ++second, ++to) *to = function(*first, *second);
  return to;
}
template <typename In, typename Out, typename Function, typename Predicate>
Out change_if(In first, In last, Out to, Function function, Predicate predicate) {
  for (; first != last; ++first, ++to)
    if (predicate(*first)) *to = function(*first);
  return to;
}
template <typename In, typename Stencil, typename Out, typename Function, typename Predicate>
Out change_if(In first, In last, Stencil stencil, Out to, Function function, Predicate predicate) {
  for (; first != last; ++first, ++stencil, ++to)
    if (predicate(*stencil)) *to = function(*first);
  return to;
}
template <typename It, typename T>
void fill_all(It first, It last, T value) {
  for (; first != last; ++first) *first = value;
}
template <typename It, typename Size, typename T>
It fill_some(It first, Size count, T value) {
  for (Size i = 0; i < count; ++i, ++first) *first = value;
  return first;
}
template <typename It, typename Function>
void make_all(It first, It last, Function function) {
  for (; first != last; ++first) *first = function();
}
template <typename It, typename Size, typename Function>
It make_some(It first, Size count, Function function) {
  for (Size i = 0; i < count; ++i, ++first) *first = function();
  return first;
}
template <typename It, typename T = value_of<It>, typename Step = value_of<It>>
void number_all(It first, It last, T value = T(0), Step step = Step(1)) {
  for (std::ptrdiff_t i = 0; first != last; ++first, ++i) *first = static_cast<value_of<It>>(value + static_cast<value_of<It>>(i) * step);
}
template <typename It, typename Function>
void tabulate_all(It first, It last, Function function) {
  for (std::ptrdiff_t i = 0; first != last; ++first, ++i) *first = function(i);
}
template <typename In, typename Out>
Out copy_all(In first, In last, Out to) {
  for (; first != last; ++first, ++to) *to = *first;
  return to;
}
template <typename In, typename Size, typename Out>
Out copy_some(In first, Size count, Out to) {
  for (Size i = 0; i < count; ++i, ++first, ++to) *to = *first;
  return to;
}
template <typename In, typename Out, typename Predicate>
Out copy_where(In first, In last, Out to, Predicate predicate) {
  for (; first != last; ++first)
    if (predicate(*first)) *to++ = *first;
  return to;
}
template <typename In, typename Stencil, typename Out, typename Predicate>
Out copy_where(In first, In last, Stencil stencil, Out to, Predicate predicate) {
  for (; first != last; ++first, ++stencil)
    if (predicate(*stencil)) *to++ = *first;
  return to;
}
template <typename Index, typename In, typename Out>
Out gather_all(Index first, Index last, In from, Out to) {
  for (; first != last; ++first, ++to) *to = from[static_cast<std::ptrdiff_t>(*first)];
  return to;
}
template <typename In, typename Index, typename Out>
void scatter_all(In first, In last, Index index, Out to) {
  for (; first != last; ++first, ++index) to[static_cast<std::ptrdiff_t>(*index)] = *first;
}
template <typename It, typename T>
void replace_all(It first, It last, T old_value, T new_value) {
  for (; first != last; ++first)
    if (*first == old_value) *first = new_value;
}
template <typename It, typename Predicate, typename T>
void replace_where(It first, It last, Predicate predicate, T value) {
  for (; first != last; ++first)
    if (predicate(*first)) *first = value;
}
template <typename It, typename Predicate>
It remove_where(It first, It last, Predicate predicate) {
  It to = first;
  for (; first != last; ++first)
    if (!predicate(*first)) *to++ = value_of<It>(*first);
  return to;
}
template <typename It, typename T>
It remove_all(It first, It last, T value) {
  return remove_where(first, last, [&](const auto& one) { return one == value; });
}
template <typename It>
void reverse_all(It first, It last) {
  std::vector<value_of<It>> kept(first, last);
  std::copy(kept.rbegin(), kept.rend(), first);
}
template <typename In, typename Out>
Out reverse_into(In first, In last, Out to) {
  while (first != last) *to++ = *--last;
  return to;
}
template <typename It, typename It2>
It2 swap_all(It first, It last, It2 second) {
  for (; first != last; ++first, ++second) {
    const value_of<It> kept = *first;
    *first = *second;
    *second = kept;
  }
  return second;
}
template <typename In, typename Out, typename Function = std::minus<>>
Out differences(In first, In last, Out to, Function function = {}) {
  if (first == last) return to;
  value_of<In> before = *first;
  *to++ = before;
  while (++first != last) {
    const value_of<In> now = *first;
    *to++ = function(now, before);
    before = now;
  }
  return to;
}

}  // namespace detail

TILELAB_THRUST(for_each, each)
TILELAB_THRUST(for_each_n, each_of)
TILELAB_THRUST(transform, change)
TILELAB_THRUST(transform_if, change_if)
TILELAB_THRUST(fill, fill_all)
TILELAB_THRUST(fill_n, fill_some)
TILELAB_THRUST(uninitialized_fill, fill_all)
TILELAB_THRUST(generate, make_all)
TILELAB_THRUST(generate_n, make_some)
TILELAB_THRUST(sequence, number_all)
TILELAB_THRUST(tabulate, tabulate_all)
TILELAB_THRUST(copy_n, copy_some)
TILELAB_THRUST(copy_if, copy_where)
TILELAB_THRUST(gather, gather_all)
TILELAB_THRUST(scatter, scatter_all)
TILELAB_THRUST(replace, replace_all)
TILELAB_THRUST(replace_if, replace_where)
TILELAB_THRUST(remove_if, remove_where)
TILELAB_THRUST(remove, remove_all)
TILELAB_THRUST(reverse, reverse_all)
TILELAB_THRUST(reverse_copy, reverse_into)
TILELAB_THRUST(swap_ranges, swap_all)
TILELAB_THRUST(adjacent_difference, differences)

// Between host and device it is a plain copy where elements follow each other on both sides.
template <typename In, typename Out, typename = std::enable_if_t<!detail::is_policy<In>::value>>
Out copy(In first, In last, Out to) {
  if constexpr (std::is_same_v<Out, device_ptr<detail::value_of<In>>> && !std::is_pointer_v<In>) {
    const auto count = static_cast<std::size_t>(last - first);
    detail::copy_to_device(first, count, to.get());
    return to + static_cast<std::ptrdiff_t>(count);
  } else if constexpr ((std::is_same_v<In, device_ptr<detail::value_of<In>>> ||
                        std::is_same_v<In, device_ptr<const detail::value_of<In>>>) &&
                       !detail::Bare<Out>::of_device) {
    return detail::copy_to_host(first.get(), static_cast<std::size_t>(last - first), to);
  } else {
    return detail::run([](const auto&... given) { return detail::copy_all(given...); }, first, last, to);
  }
}
template <typename Policy, typename In, typename Out, typename = std::enable_if_t<detail::is_policy<Policy>::value>>
Out copy(const Policy& policy, In first, In last, Out to) {
  return detail::run([](const auto&... given) { return detail::copy_all(given...); }, policy, first, last, to);
}

}  // namespace thrust
