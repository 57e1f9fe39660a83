#include "simt/observers/handover.hpp"

#include <bit>
#include <cstring>

#include "simt/memory/region.hpp"

namespace tilelab::simt {
namespace {

constexpr std::uint32_t word_bytes = 4;
constexpr double largest_exact = 1 << 24;

std::uint32_t word_at(std::uintptr_t address) {
  std::uint32_t value = 0;
  std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
  return value;
}

// Tells each value that lies in `words` words of shared memory: of every word, and of a whole number that lies there as a double.
template <typename Tell>
void each_shared_value(std::uintptr_t address, std::uint32_t words, Tell tell) {
  for (std::uint32_t i = 0; i < words; ++i) tell(word_at(address + i * word_bytes));
  for (std::uint32_t i = 0; i + 2 <= words; i += 2) {
    double wide = 0;
    std::memcpy(&wide, reinterpret_cast<const void*>(address + i * word_bytes), sizeof wide);
    if (wide >= 1 && wide <= largest_exact) tell(std::bit_cast<std::uint32_t>(static_cast<float>(wide)));
  }
}

std::uint64_t of_thread(std::uint32_t thread, std::uint32_t value) { return std::uint64_t{thread} << 32 | value; }

}  // namespace

void Handover::on_launch_begin(const LaunchEvent& launch) { threads_ = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z; }

void Handover::on_block_begin(std::uint64_t block) {
  settle();
  block_ = block;
  laid_.clear();
  taken_.clear();
}

void Handover::on_access(const Access& access) {
  settle();
  const bool is_output = access.space == Space::global && access.region->role == BufferRole::output;
  if (access.size % word_bytes != 0 || access.address % word_bytes != 0) {
    if (access.kind != AccessKind::read && is_output) ++direct_;  // nobody can follow a part of an element
    return;
  }
  const std::uint32_t words = access.size / word_bytes;
  if (access.kind != AccessKind::read) {
    if (is_output || access.space == Space::shared) stored_ = {access.address, words, access.by.thread, access.space == Space::shared};
    return;
  }
  if (access.space == Space::shared) {
    each_shared_value(access.address, words, [&](std::uint32_t value) {
      if (laid_.contains(value)) taken_.insert(of_thread(access.by.thread, value));
    });
  } else if (access.region->role == BufferRole::input) {
    for (std::uint32_t i = 0; i < words; ++i) loaders_[word_at(access.address + i * word_bytes)] = block_ * threads_ + access.by.thread;
  }
}

void Handover::settle() {
  if (stored_.shared) {
    each_shared_value(stored_.address, stored_.words, [&](std::uint32_t value) { laid_.insert(value); });
  } else {
    for (std::uint32_t i = 0; i < stored_.words; ++i) arrived(word_at(stored_.address + i * word_bytes), stored_.thread);
  }
  stored_.words = 0;
}

void Handover::arrived(std::uint32_t value, std::uint32_t thread) {
  const auto loader = loaders_.find(value);
  if (!taken_.contains(of_thread(thread, value)) || loader == loaders_.end()) {
    ++direct_;
  } else if (loader->second == block_ * threads_ + thread) {
    ++kept_;
  } else {
    ++handed_;
  }
}

}  // namespace tilelab::simt
