// Asynchronous copies by a group. Replaces CUDA's header of this name. A copy counts as under way until the group waits for it.
#pragma once

#include <cooperative_groups.h>

#include <cstddef>

namespace cooperative_groups {

template <typename Group, typename T>
void memcpy_async(const Group& group, T* to, const T* from, std::size_t bytes) {
  ::pipeline_on_cpu::copy_part(to, from, bytes, static_cast<unsigned>(group.thread_rank()), static_cast<unsigned>(group.size()));
  ::pipeline_on_cpu::commit();
}

// Of elements: as many as both sides have.
template <typename Group, typename T>
void memcpy_async(const Group& group, T* to, std::size_t to_count, const T* from, std::size_t from_count) {
  memcpy_async(group, to, from, sizeof(T) * (to_count < from_count ? to_count : from_count));
}

template <unsigned int Prior, typename Group>
void wait_prior(const Group& group) {
  ::pipeline_on_cpu::wait(Prior);
  group.sync();
}

template <typename Group>
void wait(const Group& group) {
  wait_prior<0>(group);
}

}  // namespace cooperative_groups
