// Prefix sums, and prefixes of other operations, over a tile of a warp or over lanes that run together. Replaces CUDA's header of
// this name.
#pragma once

#include <cooperative_groups/reduce.h>

namespace cooperative_groups {

// Inclusive: over the values up to the thread's own.
template <typename Group, typename T, typename Operation>
T inclusive_scan(const Group& group, T value, Operation operation) {
  for (unsigned int distance = 1; distance < group.size(); distance *= 2) {
    const T before = group.shfl_up(value, distance);
    if (group.thread_rank() >= distance) value = operation(before, value);
  }
  return value;
}

template <typename Group, typename T>
T inclusive_scan(const Group& group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

// Exclusive: over the values before the thread's own. The first thread gets T(); CUDA promises that only for sums.
template <typename Group, typename T, typename Operation>
T exclusive_scan(const Group& group, T value, Operation operation) {
  const T before = group.shfl_up(inclusive_scan(group, value, operation), 1);
  return group.thread_rank() == 0 ? T() : before;
}

template <typename Group, typename T>
T exclusive_scan(const Group& group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

}  // namespace cooperative_groups
