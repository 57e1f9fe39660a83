// A part of Thrust: vectors, iterators, function objects and algorithms. Algorithms run on the host, on the memory of the device, and not
// as kernels: no detector watches them. docs/running-a-program.md lists what is there; universal vectors, complex numbers, sets and
// allocators are missing.
//
// Algorithms have one row each at the end. Where the C++ library has the same one, it does the work. Sorts are stable. Sums are made
// as a tree, as on a GPU; their last digits may still be others there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "thrust/thrust_functions.hpp"
#include "thrust/thrust_iterators.hpp"
#include "thrust/thrust_vectors.hpp"

namespace thrust {
namespace detail {

template <typename It, typename Function>
It each(It first, It last, Function function) {
  for (; first != last; ++first) function(*first);
  return first;
}
template <typename It, typename T = value_of<It>, typename Step = value_of<It>>
void number_all(It first, It last, T value = T(0), Step step = Step(1)) {
  for (std::ptrdiff_t i = 0; first != last; ++first, ++i) *first = static_cast<value_of<It>>(value + static_cast<value_of<It>>(i) * step);
}
template <typename In, typename Out, typename Predicate>
Out copy_where(In first, In last, Out to, Predicate predicate) {
  return std::copy_if(first, last, to, predicate);
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
// What changes places does so in a vector: elements of a zip_iterator are no objects that could be swapped.
template <typename It>
void reverse_all(It first, It last) {
  std::vector<value_of<It>> kept(first, last);
  std::copy(kept.rbegin(), kept.rend(), first);
}
template <typename It, typename Less = std::less<>>
void order(It first, It last, Less less = {}) {
  std::vector<value_of<It>> kept(first, last);
  std::stable_sort(kept.begin(), kept.end(), less);
  std::copy(kept.begin(), kept.end(), first);
}
template <typename Keys, typename Values, typename Less = std::less<>>
void order_by_key(Keys first, Keys last, Values values, Less less = {}) {
  std::vector<value_of<Keys>> keys(first, last);
  std::vector<value_of<Values>> kept(values, values + (last - first));
  std::vector<std::size_t> places(keys.size());
  std::iota(places.begin(), places.end(), std::size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](std::size_t one, std::size_t other) { return less(keys[one], keys[other]); });
  for (const std::size_t place : places) {
    *first++ = keys[place];
    *values++ = kept[place];
  }
}
template <typename It, typename Predicate>
It divide(It first, It last, Predicate predicate) {
  std::vector<value_of<It>> kept(first, last);
  const auto middle = std::stable_partition(kept.begin(), kept.end(), predicate);
  std::copy(kept.begin(), kept.end(), first);
  return first + (middle - kept.begin());
}
// Of equal neighbours the first stays.
template <typename In, typename Out, typename Same = std::equal_to<>>
Out once_into(In first, In last, Out to, Same same = {}) {
  while (first != last) {
    const value_of<In> one = *first;
    *to++ = one;
    for (++first; first != last && same(one, value_of<In>(*first)); ++first) {
    }
  }
  return to;
}
template <typename It, typename... Same>
It once(It first, It last, Same... same) {
  return once_into(first, last, first, same...);
}

// Of `count` elements, of which there is one at least.
template <typename T, typename Element, typename Function>
T tree(const Element& element, std::ptrdiff_t first, std::ptrdiff_t count, const Function& function) {
  if (count <= 8) {
    T all = static_cast<T>(element(first));
    for (std::ptrdiff_t i = 1; i < count; ++i) all = function(all, static_cast<T>(element(first + i)));
    return all;
  }
  return function(tree<T>(element, first, count / 2, function), tree<T>(element, first + count / 2, count - count / 2, function));
}
template <typename T, typename Element, typename Function>
T total(const Element& element, std::ptrdiff_t count, T begin, const Function& function) {
  if (count == 0) return begin;
  return function(begin, tree<T>(element, 0, count, function));
}
template <typename It, typename T = value_of<It>, typename Function = std::plus<>>
T sum(It first, It last, T begin = T{}, Function function = {}) {
  return total([&](std::ptrdiff_t i) { return first[i]; }, last - first, begin, function);
}
template <typename It, typename Unary, typename T, typename Function>
T sum_of(It first, It last, Unary unary, T begin, Function function) {
  return total([&](std::ptrdiff_t i) { return unary(first[i]); }, last - first, begin, function);
}
template <typename It, typename It2, typename T, typename Function = std::plus<>, typename Product = std::multiplies<>>
T product(It first, It last, It2 second, T begin, Function function = {}, Product pair = {}) {
  return total([&](std::ptrdiff_t i) { return pair(first[i], second[i]); }, last - first, begin, function);
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

}  // namespace detail

// `name(policy, arguments…)` and `name(arguments…)`.
#define TILELAB_THRUST(name, algorithm)                                                         \
  template <typename... Arguments>                                                              \
  auto name(const Arguments&... arguments) {                                                    \
    return detail::run([](const auto&... given) { return algorithm(given...); }, arguments...); \
  }

TILELAB_THRUST(for_each, detail::each)
TILELAB_THRUST(for_each_n, std::for_each_n)
TILELAB_THRUST(transform, std::transform)
TILELAB_THRUST(fill, std::fill)
TILELAB_THRUST(fill_n, std::fill_n)
TILELAB_THRUST(uninitialized_fill, std::fill)
TILELAB_THRUST(generate, std::generate)
TILELAB_THRUST(generate_n, std::generate_n)
TILELAB_THRUST(sequence, detail::number_all)
TILELAB_THRUST(copy_n, std::copy_n)
TILELAB_THRUST(copy_if, detail::copy_where)
TILELAB_THRUST(gather, detail::gather_all)
TILELAB_THRUST(scatter, detail::scatter_all)
TILELAB_THRUST(replace, std::replace)
TILELAB_THRUST(replace_if, std::replace_if)
TILELAB_THRUST(remove, std::remove)
TILELAB_THRUST(remove_if, std::remove_if)
TILELAB_THRUST(reverse, detail::reverse_all)
TILELAB_THRUST(reverse_copy, std::reverse_copy)
TILELAB_THRUST(adjacent_difference, std::adjacent_difference)

TILELAB_THRUST(sort, detail::order)
TILELAB_THRUST(stable_sort, detail::order)
TILELAB_THRUST(sort_by_key, detail::order_by_key)
TILELAB_THRUST(stable_sort_by_key, detail::order_by_key)
TILELAB_THRUST(is_sorted, std::is_sorted)
TILELAB_THRUST(find, std::find)
TILELAB_THRUST(find_if, std::find_if)
TILELAB_THRUST(find_if_not, std::find_if_not)
TILELAB_THRUST(mismatch, std::mismatch)
TILELAB_THRUST(equal, std::equal)
TILELAB_THRUST(unique, detail::once)
TILELAB_THRUST(unique_copy, detail::once_into)
TILELAB_THRUST(partition, detail::divide)
TILELAB_THRUST(stable_partition, detail::divide)
TILELAB_THRUST(merge, std::merge)
TILELAB_THRUST(lower_bound, std::lower_bound)
TILELAB_THRUST(upper_bound, std::upper_bound)
TILELAB_THRUST(binary_search, std::binary_search)

TILELAB_THRUST(reduce, detail::sum)
TILELAB_THRUST(transform_reduce, detail::sum_of)
TILELAB_THRUST(inner_product, detail::product)
TILELAB_THRUST(inclusive_scan, detail::running)
TILELAB_THRUST(exclusive_scan, detail::running_before)
TILELAB_THRUST(reduce_by_key, detail::sum_by_key)
TILELAB_THRUST(inclusive_scan_by_key, detail::running_by_key)
TILELAB_THRUST(count, std::count)
TILELAB_THRUST(count_if, std::count_if)
TILELAB_THRUST(min_element, std::min_element)
TILELAB_THRUST(max_element, std::max_element)
TILELAB_THRUST(all_of, std::all_of)
TILELAB_THRUST(any_of, std::any_of)
TILELAB_THRUST(none_of, std::none_of)

using std::advance;
using std::distance;
using std::max;
using std::min;

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
    return detail::run([](const auto&... given) { return std::copy(given...); }, first, last, to);
  }
}
template <typename Policy, typename In, typename Out, typename = std::enable_if_t<detail::is_policy<Policy>::value>>
Out copy(const Policy& policy, In first, In last, Out to) {
  return detail::run([](const auto&... given) { return std::copy(given...); }, policy, first, last, to);
}

}  // namespace thrust
