// Thrust's algorithms that bring elements together: reductions, scans, counts, extremes, and those by key. Sums are made as a tree, as on
// a GPU; their last digits may still be others there.
#pragma once

#include <functional>
#include <iterator>
#include <type_traits>
#include <utility>

#include "thrust/function_objects.hpp"
#include "thrust/thrust_transforms.hpp"

namespace thrust {
namespace detail {

// Of `count` elements, of which there is one at least.
template <typename T, typename Element, typename Function>
T tree(const Element& element, std::size_t first, std::size_t count, const Function& function) {
  if (count <= 8) {
    T all = static_cast<T>(element(first));
    for (std::size_t i = 1; i < count; ++i) all = function(all, static_cast<T>(element(first + i)));
    return all;
  }
  return function(tree<T>(element, first, count / 2, function), tree<T>(element, first + count / 2, count - count / 2, function));
}
template <typename It, typename T = value_of<It>, typename Function = std::plus<>>
T sum(It first, It last, T begin = T{}, Function function = {}) {
  const auto count = static_cast<std::size_t>(last - first);
  if (count == 0) return begin;
  return function(begin, tree<T>([&](std::size_t i) { return first[static_cast<std::ptrdiff_t>(i)]; }, 0, count, function));
}
template <typename It, typename Unary, typename T, typename Function>
T sum_of(It first, It last, Unary unary, T begin, Function function) {
  const auto count = static_cast<std::size_t>(last - first);
  if (count == 0) return begin;
  return function(begin, tree<T>([&](std::size_t i) { return unary(first[static_cast<std::ptrdiff_t>(i)]); }, 0, count, function));
}
template <typename It, typename It2, typename T, typename Function = std::plus<>, typename Product = std::multiplies<>>
T product(It first, It last, It2 second, T begin, Function function = {}, Product pair = {}) {
  const auto count = static_cast<std::size_t>(last - first);
  if (count == 0) return begin;
  const auto element = [&](std::size_t i) { return pair(first[static_cast<std::ptrdiff_t>(i)], second[static_cast<std::ptrdiff_t>(i)]); };
  return function(begin, tree<T>(element, 0, count, function));
}
template <typename In, typename Out, typename Function = std::plus<>>
Out running(In first, In last, Out to, Function function = {}) {
  if (first == last) return to;
  value_of<In> all = *first;
  *to++ = all;
  while (++first != last) *to++ = all = function(all, *first);
  return to;
}
template <typename In, typename Out, typename T = value_of<In>, typename Function = std::plus<>>
Out running_before(In first, In last, Out to, T begin = T{}, Function function = {}) {
  for (; first != last; ++first) {
    const T next = function(begin, *first);
    *to++ = begin;
    begin = next;
  }
  return to;
}
template <typename In, typename Out, typename Unary, typename Function>
Out running_of(In first, In last, Out to, Unary unary, Function function) {
  if (first == last) return to;
  auto all = unary(*first);
  *to++ = all;
  while (++first != last) *to++ = all = function(all, unary(*first));
  return to;
}
template <typename In, typename Out, typename Unary, typename T, typename Function>
Out running_before_of(In first, In last, Out to, Unary unary, T begin, Function function) {
  for (; first != last; ++first) {
    const T next = function(begin, unary(*first));
    *to++ = begin;
    begin = next;
  }
  return to;
}
template <typename Keys, typename In, typename OutKeys, typename Out, typename Same = std::equal_to<>, typename Function = std::plus<>>
std::pair<OutKeys, Out> sum_by_key(Keys first, Keys last, In values, OutKeys to_keys, Out to, Same same = {}, Function function = {}) {
  while (first != last) {
    const value_of<Keys> key = *first;
    value_of<In> all = *values;
    for (++first, ++values; first != last && same(key, value_of<Keys>(*first)); ++first, ++values) all = function(all, *values);
    *to_keys++ = key;
    *to++ = all;
  }
  return {to_keys, to};
}
template <typename Keys, typename In, typename Out, typename Same = std::equal_to<>, typename Function = std::plus<>>
Out running_by_key(Keys first, Keys last, In values, Out to, Same same = {}, Function function = {}) {
  while (first != last) {
    const value_of<Keys> key = *first;
    value_of<In> all = *values;
    *to++ = all;
    for (++first, ++values; first != last && same(key, value_of<Keys>(*first)); ++first, ++values) *to++ = all = function(all, *values);
  }
  return to;
}
template <typename Keys, typename In, typename Out, typename T = value_of<In>, typename Same = std::equal_to<>,
          typename Function = std::plus<>>
Out running_before_by_key(Keys first, Keys last, In values, Out to, T begin = T{}, Same same = {}, Function function = {}) {
  while (first != last) {
    const value_of<Keys> key = *first;
    T all = begin;
    for (; first != last && same(key, value_of<Keys>(*first)); ++first, ++values) {
      const T next = function(all, *values);
      *to++ = all;
      all = next;
    }
  }
  return to;
}
template <typename It, typename Predicate>
std::ptrdiff_t count_where(It first, It last, Predicate predicate) {
  std::ptrdiff_t found = 0;
  for (; first != last; ++first) found += predicate(*first) ? 1 : 0;
  return found;
}
template <typename It, typename T>
std::ptrdiff_t count_all(It first, It last, T value) {
  return count_where(first, last, [&](const auto& one) { return one == value; });
}
template <typename It, typename Less = std::less<>>
It smallest(It first, It last, Less less = {}) {
  It best = first;
  for (; first != last; ++first)
    if (less(*first, *best)) best = first;
  return best;
}
template <typename It, typename Less = std::less<>>
It largest(It first, It last, Less less = {}) {
  It best = first;
  for (; first != last; ++first)
    if (less(*best, *first)) best = first;
  return best;
}
template <typename It, typename Less = std::less<>>
std::pair<It, It> both_ends(It first, It last, Less less = {}) {
  return {smallest(first, last, less), largest(first, last, less)};
}
template <typename It, typename Predicate>
bool is_all(It first, It last, Predicate predicate) {
  return count_where(first, last, predicate) == last - first;
}
template <typename It, typename Predicate>
bool is_any(It first, It last, Predicate predicate) {
  return count_where(first, last, predicate) > 0;
}
template <typename It, typename Predicate>
bool is_none(It first, It last, Predicate predicate) {
  return count_where(first, last, predicate) == 0;
}

}  // namespace detail

TILELAB_THRUST(reduce, sum)
TILELAB_THRUST(transform_reduce, sum_of)
TILELAB_THRUST(inner_product, product)
TILELAB_THRUST(inclusive_scan, running)
TILELAB_THRUST(exclusive_scan, running_before)
TILELAB_THRUST(transform_inclusive_scan, running_of)
TILELAB_THRUST(transform_exclusive_scan, running_before_of)
TILELAB_THRUST(reduce_by_key, sum_by_key)
TILELAB_THRUST(inclusive_scan_by_key, running_by_key)
TILELAB_THRUST(exclusive_scan_by_key, running_before_by_key)
TILELAB_THRUST(count_if, count_where)
TILELAB_THRUST(count, count_all)
TILELAB_THRUST(min_element, smallest)
TILELAB_THRUST(max_element, largest)
TILELAB_THRUST(minmax_element, both_ends)
TILELAB_THRUST(all_of, is_all)
TILELAB_THRUST(any_of, is_any)
TILELAB_THRUST(none_of, is_none)

}  // namespace thrust
