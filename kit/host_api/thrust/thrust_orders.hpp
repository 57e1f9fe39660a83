// Thrust's algorithms about order: sorts, searches, comparisons, partitions, what is there once, merges. Sorts are stable.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

#include "thrust/thrust_transforms.hpp"

namespace thrust {
namespace detail {

template <typename It, typename Less = std::less<>>
void order(It first, It last, Less less = {}) {
  std::vector<value_of<It>> kept(first, last);
  std::stable_sort(kept.begin(), kept.end(), less);
  copy_all(kept.begin(), kept.end(), first);
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
template <typename It, typename Less = std::less<>>
bool in_order(It first, It last, Less less = {}) {
  for (It next = first; first != last && ++next != last; ++first)
    if (less(*next, *first)) return false;
  return true;
}
template <typename It, typename T>
It place_of(It first, It last, T value) {
  while (first != last && !(*first == value)) ++first;
  return first;
}
template <typename It, typename Predicate>
It place_where(It first, It last, Predicate predicate) {
  while (first != last && !predicate(*first)) ++first;
  return first;
}
template <typename It, typename Predicate>
It place_where_not(It first, It last, Predicate predicate) {
  while (first != last && predicate(*first)) ++first;
  return first;
}
template <typename It, typename It2, typename Same = std::equal_to<>>
std::pair<It, It2> first_difference(It first, It last, It2 second, Same same = {}) {
  while (first != last && same(*first, *second)) ++first, ++second;
  return {first, second};
}
template <typename It, typename It2, typename Same = std::equal_to<>>
bool all_equal(It first, It last, It2 second, Same same = {}) {
  return first_difference(first, last, second, same).first == last;
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
template <typename It>
It once(It first, It last) {
  return once_into(first, last, first);
}
template <typename It, typename Same>
It once(It first, It last, Same same) {
  return once_into(first, last, first, same);
}
template <typename Keys, typename Values, typename Same = std::equal_to<>>
std::pair<Keys, Values> once_by_key(Keys first, Keys last, Values values, Same same = {}) {
  Keys to_keys = first;
  Values to = values;
  while (first != last) {
    const value_of<Keys> key = *first;
    *to_keys++ = key;
    *to++ = value_of<Values>(*values);
    for (++first, ++values; first != last && same(key, value_of<Keys>(*first)); ++first, ++values) {
    }
  }
  return {to_keys, to};
}
template <typename It, typename Predicate>
It divide(It first, It last, Predicate predicate) {
  std::vector<value_of<It>> kept(first, last);
  const auto middle = std::stable_partition(kept.begin(), kept.end(), predicate);
  copy_all(kept.begin(), kept.end(), first);
  return first + (middle - kept.begin());
}
template <typename It, typename It2, typename Out, typename Less = std::less<>>
Out merge_into(It first, It last, It2 second, It2 end, Out to, Less less = {}) {
  while (first != last || second != end) {
    if (second == end || (first != last && !less(*second, *first)))
      *to++ = *first++;
    else
      *to++ = *second++;
  }
  return to;
}
template <typename It, typename T, typename Less = std::less<>>
It lower(It first, It last, T value, Less less = {}) {
  for (auto left = last - first; left > 0;) {
    const auto half = left / 2;
    const bool behind = less(first[half], value);
    if (behind) first += half + 1;
    left = behind ? left - half - 1 : half;
  }
  return first;
}
template <typename It, typename T, typename Less = std::less<>>
It upper(It first, It last, T value, Less less = {}) {
  return lower(first, last, value, [&](const auto& one, const auto& other) { return !less(other, one); });
}
// Of each value its place, as a distance from the first.
template <typename It, typename In, typename Out, typename Less, typename Search>
Out places(It first, It last, In value, In end, Out to, Less less, Search search) {
  for (; value != end; ++value) *to++ = search(first, last, value_of<In>(*value), less) - first;
  return to;
}
template <typename It, typename In, typename Out, typename Less = std::less<>>
Out lower(It first, It last, In value, In end, Out to, Less less = {}) {
  return places(first, last, value, end, to, less, [](const auto&... given) { return lower(given...); });
}
template <typename It, typename In, typename Out, typename Less = std::less<>>
Out upper(It first, It last, In value, In end, Out to, Less less = {}) {
  return places(first, last, value, end, to, less, [](const auto&... given) { return upper(given...); });
}
template <typename It, typename T, typename Less = std::less<>>
bool is_in(It first, It last, T value, Less less = {}) {
  const It found = lower(first, last, value, less);
  return found != last && !less(value, *found);
}

}  // namespace detail

TILELAB_THRUST(sort, order)
TILELAB_THRUST(stable_sort, order)
TILELAB_THRUST(sort_by_key, order_by_key)
TILELAB_THRUST(stable_sort_by_key, order_by_key)
TILELAB_THRUST(is_sorted, in_order)
TILELAB_THRUST(find, place_of)
TILELAB_THRUST(find_if, place_where)
TILELAB_THRUST(find_if_not, place_where_not)
TILELAB_THRUST(mismatch, first_difference)
TILELAB_THRUST(equal, all_equal)
TILELAB_THRUST(unique, once)
TILELAB_THRUST(unique_copy, once_into)
TILELAB_THRUST(unique_by_key, once_by_key)
TILELAB_THRUST(partition, divide)
TILELAB_THRUST(stable_partition, divide)
TILELAB_THRUST(merge, merge_into)
TILELAB_THRUST(lower_bound, lower)
TILELAB_THRUST(upper_bound, upper)
TILELAB_THRUST(binary_search, is_in)

using std::advance;
using std::distance;
using std::max;
using std::min;

}  // namespace thrust
