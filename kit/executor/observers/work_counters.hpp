// Observers that count what a launch does and find nothing: the bytes that it accesses, one thread's share of its work, and how elements
// came to the threads that store them. Requests of warps are counted in request_counter.hpp.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/memory/local_memory.hpp"
#include "executor/memory/region.hpp"
#include "executor/observers/warp_requests.hpp"
#include "executor/redundant_reads.hpp"

namespace tilelab::simt {

// The bytes that the threads access in each memory space, each of them once: textures and surfaces count by themselves, though they lie in
// global memory. It counts the source's statements, not a compiler's instructions, and no reads of constant memory: see RequestCounter.
class AccessCounter final : public Observer {
 public:
  bool watches(Space) const override { return true; }
  bool needs_every_read() const override { return false; }
  void on_launch_begin(const LaunchEvent& launch) override { redundant_ = launch.redundant; }
  void on_access(const Access& access) override {
    const std::size_t space =
        access.unit == Unit::none ? static_cast<std::size_t>(access.space) : 2 + static_cast<std::size_t>(access.unit);
    if (access.kind != AccessKind::write && !is_constant(access)) loaded_[space] += access.size;
    if (access.kind != AccessKind::read) stored_[space] += access.size;
  }
  void on_barrier(const BarrierEvent&) override { ++barriers_; }
  std::map<std::string, std::uint64_t> counters() const {
    const std::uint64_t inputs = redundant_ != nullptr ? redundant_->input_bytes() : 0,
                        shared = redundant_ != nullptr ? redundant_->shared_bytes() : 0;
    return {{"global_load_bytes", loaded_[0] + loaded_[2] + inputs},
            {"global_store_bytes", stored_[0] + stored_[2]},
            {"shared_load_bytes", loaded_[1] + shared},
            {"shared_store_bytes", stored_[1]},
            {"texture_load_bytes", loaded_[3]},
            {"surface_load_bytes", loaded_[4]},
            {"surface_store_bytes", stored_[4]},
            {"block_barriers", barriers_}};
  }

 private:
  std::array<std::uint64_t, 5> loaded_{}, stored_{};  // global, shared, module; textures, surfaces
  std::uint64_t barriers_ = 0;
  const RedundantReads* redundant_ = nullptr;
};

// What a kernel allocates is both read and written as well, but is no result.
inline bool is_result(const Region& region) {
  return region.role == BufferRole::output || (region.role == BufferRole::inout && region.heap == nullptr);
}

// How much of a launch is one thread's work, or one block's: the most elements of the outputs that any thread stores, the most words that
// any thread loads and stores, wherever they lie, and the most that any block stores outside its shared memory. An element that a
// thread stores again, as a sum that grows, counts once for it. Grids that kernels launch come one after another: of each, the busiest
// counts, and they add up. And how much all threads would load and store if every lane of a warp did as much as the busiest lane of its
// warp, between two barriers, or every thread of a block as much as the busiest lanes of its busiest warp: where lanes or warps work one
// after another, or few work at all, that is far more than they do.
class ThreadShare final : public Observer {
 public:
  // What lies in `locals` is work as well. So is what has joined `requests`, of which this is not told.
  explicit ThreadShare(const LocalMemory& locals, const WarpRequests* requests = nullptr) : locals_(locals), requests_(requests) {}

  bool watches(Space) const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override {
    threads_ = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z;
    grids_ = {{}};
  }
  void on_grid_begin(const GridEvent& child) override {
    threads_ = std::uint64_t{child.block.x} * child.block.y * child.block.z;
    grids_.push_back({.first = child.first_block});
  }
  void on_block_begin(std::uint64_t) override {
    stored_.assign(threads_, 0);
    words_.assign(threads_, 0);
    before_.assign(threads_, 0);
    in_phase_.assign((threads_ + 31) / 32, 0);
    outside_ = 0;
    seen_.clear();
  }
  void on_barrier(const BarrierEvent&) override {
    for (std::uint32_t warp = 0; warp * 32 < threads_; ++warp) end_phase(warp);
    full_blocks_ += threads_ * *std::max_element(in_phase_.begin(), in_phase_.end());
    std::fill(in_phase_.begin(), in_phase_.end(), 0);
  }
  void on_warp_sync(const WarpSyncEvent& sync) override { end_phase(sync.warp); }
  [[gnu::always_inline]] void on_access(const Access& access) override {
    const std::uint64_t words = (access.size + 3) / 4;
    words_[access.by.thread] += words;
    if (access.kind != AccessKind::read && access.space != Space::shared) outside_ += words;
    if (access.kind != AccessKind::read && access.space == Space::global && is_result(*access.region)) store(access);
  }
  void on_block_end(std::uint64_t block, std::uint32_t) override {
    const auto after =
        std::upper_bound(grids_.begin(), grids_.end(), block, [](std::uint64_t at, const Grid& one) { return at < one.first; });
    Grid& grid = *std::prev(after);
    on_barrier({});
    for (std::uint32_t thread = 0; thread < threads_; ++thread) {
      const std::uint64_t words = words_of(thread);
      grid.of_thread = std::max(grid.of_thread, words);
      all_words_ += words;
    }
    grid.of_block = std::max(grid.of_block, outside_);
  }

  void on_block_parked(std::uint64_t block) override {
    parked_[block] = {std::exchange(stored_, {}),   std::exchange(words_, {}), std::exchange(before_, {}),
                      std::exchange(in_phase_, {}), std::exchange(seen_, {}),  outside_};
  }
  void on_block_resumed(std::uint64_t block) override {
    std::tie(stored_, words_, before_, in_phase_, seen_, outside_) = std::exchange(parked_[block], {});
  }

  std::uint64_t most_elements() const { return most_elements_; }
  std::uint64_t most_words() const { return sum(&Grid::of_thread); }
  std::uint64_t most_stores_of_a_block() const { return sum(&Grid::of_block); }
  std::uint64_t all_words() const { return all_words_; }          // of all threads together
  std::uint64_t full_warps_words() const { return full_warps_; }  // if every lane did as much as the busiest of its warp
  std::uint64_t full_blocks_words() const { return full_blocks_; }

 private:
  struct Grid {
    std::uint64_t first = 0, of_thread = 0, of_block = 0;  // its first block; the most words, and the most that are stored
  };
  std::uint64_t sum(std::uint64_t Grid::* most) const {
    std::uint64_t all = 0;
    for (const Grid& one : grids_) all += one.*most;
    return all;
  }
  std::uint64_t words_of(std::uint32_t thread) const {
    return words_[thread] + (requests_ != nullptr ? requests_->joined_by(thread) : 0) + locals_.counted_bytes(thread) / 4;
  }
  void end_phase(std::uint32_t warp) {
    std::uint64_t busiest = 0;
    for (std::uint32_t thread = warp * 32; thread < std::min<std::uint64_t>(threads_, warp * 32 + 32); ++thread) {
      const std::uint64_t words = words_of(thread);
      busiest = std::max(busiest, words - std::exchange(before_[thread], words));
    }
    full_warps_ += 32 * busiest;
    in_phase_[warp] += busiest;
  }
  void store(const Access& access) {
    const std::uint32_t thread = access.by.thread;
    for (std::uintptr_t word = access.address / 4; word <= (access.address + access.size - 1) / 4; ++word) {
      if (seen_.insert(word * threads_ + thread).second) most_elements_ = std::max(most_elements_, ++stored_[thread]);
    }
  }

  const LocalMemory& locals_;
  const WarpRequests* const requests_;
  std::uint64_t threads_ = 1, most_elements_ = 0, all_words_ = 0, full_warps_ = 0, full_blocks_ = 0;
  std::vector<Grid> grids_{{}};  // by their first block
  // Of the running block, by thread: elements, words, and words before its last barrier; by warp, the words of its busiest lanes since the
  // block's last barrier. Then what it stored outside shared memory, and which elements, as one number for element and thread.
  std::vector<std::uint64_t> stored_, words_, before_, in_phase_;
  std::uint64_t outside_ = 0;
  std::unordered_set<std::uint64_t> seen_;
  using Words = std::vector<std::uint64_t>;
  using Block = std::tuple<Words, Words, Words, Words, std::unordered_set<std::uint64_t>, std::uint64_t>;
  std::unordered_map<std::uint64_t, Block> parked_;
};

// How each element of an output came to the thread that stores it, where a kernel only moves elements and no two of them are
// alike: out of shared memory, where another thread had laid it (handed over); out of shared memory, but loaded from global memory
// by the very thread that stores it (kept); or past shared memory (direct). Elements are followed by their values,
// which are whole numbers: in shared memory, one may lie as a double.
class Handover final : public Observer {
 public:
  bool watches(Space) const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override { threads_ = std::uint64_t{launch.block.x} * launch.block.y * launch.block.z; }
  void on_block_begin(std::uint64_t block) override {
    block_ = block;
    laid_.clear();
    taken_.clear();
  }
  void on_access(const Access& access) override {
    const bool is_output = access.space == Space::global && access.region->role == BufferRole::output;
    if (access.size % word_bytes != 0 || access.address % word_bytes != 0) {
      if (access.kind != AccessKind::read && is_output) ++direct_;  // nobody can follow a part of an element
      return;
    }
    const std::uint32_t words = access.size / word_bytes;
    if (access.kind != AccessKind::read) {
      for (std::uint32_t i = 0; i < words; ++i) {
        if (is_output) stored_[access.address + i * word_bytes] = access.by.thread;
        if (access.space == Space::shared) laid_.insert(access.address + i * word_bytes);
      }
      return;
    }
    if (access.space == Space::shared) {
      each_shared_value(access.address, words, [&](std::uint32_t value, std::uintptr_t word) {
        if (laid_.contains(word)) taken_.insert(of_thread(access.by.thread, value));
      });
    } else if (access.region->role == BufferRole::input) {
      for (std::uint32_t i = 0; i < words; ++i) loaders_[word_at(access.address + i * word_bytes)] = block_ * threads_ + access.by.thread;
    }
  }
  // A store is announced before it happens, and that of a struct before the load of what it copies: what was stored is read here.
  void on_block_end(std::uint64_t, std::uint32_t) override {
    for (const auto& [word, thread] : std::exchange(stored_, {})) arrived(word_at(word), thread);
  }
  void on_block_parked(std::uint64_t block) override {
    on_block_end(block, 0);
    parked_[block] = {std::exchange(laid_, {}), std::exchange(taken_, {})};
  }
  void on_block_resumed(std::uint64_t block) override {
    on_block_begin(block);
    std::tie(laid_, taken_) = std::exchange(parked_[block], {});
  }

  std::map<std::string, std::uint64_t> counters() const {
    return {{"handed_elements", handed_}, {"kept_elements", kept_}, {"direct_elements", direct_}};
  }

 private:
  static constexpr std::uint32_t word_bytes = 4;
  static constexpr double largest_exact = 1 << 24;

  static std::uint32_t word_at(std::uintptr_t address) {
    std::uint32_t value = 0;
    std::memcpy(&value, reinterpret_cast<const void*>(address), sizeof value);
    return value;
  }
  // Tells each value that lies in `words` words of shared memory: of every word, and of a whole number that lies there as a double.
  template <typename Tell>
  static void each_shared_value(std::uintptr_t address, std::uint32_t words, Tell tell) {
    for (std::uint32_t i = 0; i < words; ++i) tell(word_at(address + i * word_bytes), address + i * word_bytes);
    for (std::uint32_t i = 0; i + 2 <= words; i += 2) {
      double wide = 0;
      std::memcpy(&wide, reinterpret_cast<const void*>(address + i * word_bytes), sizeof wide);
      if (wide >= 1 && wide <= largest_exact) tell(std::bit_cast<std::uint32_t>(static_cast<float>(wide)), address + i * word_bytes);
    }
  }
  static std::uint64_t of_thread(std::uint32_t thread, std::uint32_t value) { return std::uint64_t{thread} << 32 | value; }

  void arrived(std::uint32_t value, std::uint32_t thread) {
    const auto loader = loaders_.find(value);
    if (!taken_.contains(of_thread(thread, value)) || loader == loaders_.end()) {
      ++direct_;
    } else if (loader->second == block_ * threads_ + thread) {
      ++kept_;
    } else {
      ++handed_;
    }
  }

  std::uint64_t threads_ = 0, block_ = 0;
  std::unordered_map<std::uint32_t, std::uint64_t> loaders_;  // by value: the thread of the launch that loaded it from an input
  // Of the running block.
  std::unordered_map<std::uintptr_t, std::uint32_t> stored_;  // by word of an output: the thread that stored there
  std::unordered_set<std::uintptr_t> laid_;                   // words of shared memory that were stored
  std::unordered_set<std::uint64_t> taken_;                   // values that were loaded there, with the thread that did
  std::unordered_map<std::uint64_t, std::pair<std::unordered_set<std::uintptr_t>, std::unordered_set<std::uint64_t>>> parked_;
  std::uint64_t handed_ = 0, kept_ = 0, direct_ = 0;
};

// How much of what threads use of the inputs reaches them through shared memory, and whether it is needed. Used is every element that a
// thread reads there, and every element that it loads from global memory and does not lay there. Handed over is what threads read there
// that have not loaded it themselves, if they are several: one alone could have loaded it. What is handed over is doubled on its way, where
// it lies: whether the result grows tells whether it was needed. Elements are followed by their values, which should differ; one may lie
// there as a double. What is no input's value is not seen.
class SharedUse final : public Observer {
 public:
  bool watches(Space) const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override {
    span_ = launch.shared_span;
    chunks_ = (std::size_t{launch.block.x} * launch.block.y * launch.block.z + 63) / 64;
  }
  void on_block_begin(std::uint64_t) override {
    block_.number = ++last_block_;
    block_.laid.assign(span_ / word_bytes + 1, {});
  }
  void on_access(const Access& access) override {
    if (access.size % word_bytes != 0 || access.address % word_bytes != 0) return;
    const std::uint32_t words = access.size / word_bytes;
    if (access.space != Space::shared) {
      if (access.kind == AccessKind::read && access.region->role == BufferRole::input && !is_constant(access)) load(access, words);
      return;
    }
    for (std::uint32_t i = 0; i < words; ++i) {
      const std::size_t word = access.offset / word_bytes + i;
      if (word >= block_.laid.size()) return;
      Laid& laid = block_.laid[word];
      settle(laid);
      if (access.kind == AccessKind::write)
        laid = {.address = access.address + i * word_bytes,
                .by = access.by.thread,
                .pending = true,
                .perhaps_wide = i % 2 == 0 && access.size % 8 == 0};
      else
        use(laid, access.by.thread);
    }
  }
  void on_block_end(std::uint64_t, std::uint32_t) override {
    for (Laid& laid : block_.laid) settle(laid);
  }
  void on_block_parked(std::uint64_t block) override {
    on_block_end(block, 0);
    parked_[block] = std::exchange(block_, {});
  }
  void on_block_resumed(std::uint64_t block) override { block_ = std::exchange(parked_[block], {}); }

  std::map<std::string, std::uint64_t> counters() const {
    return {{"used_words", read_ + (loaded_ > kept_ ? loaded_ - kept_ : 0)}, {"shared_words_of_others", handed_}};
  }

 private:
  static constexpr std::uint32_t word_bytes = 4, no_value = ~0u, several = ~0u - 1;
  static constexpr std::size_t most_values = std::size_t{1} << 22;  // who changes inputs could make more
  // A store is announced before it happens, and that of a struct before the load of what it copies: what it laid there is read when the
  // word is touched again.
  struct Laid {
    std::uintptr_t address = 0;
    std::uint32_t by = 0;                        // the thread that stored it
    bool pending = false, perhaps_wide = false;  // stored and not looked at since; it may be a double with the next word
    bool wide = false, doubled = false;          // it is one; it was handed over before
    std::uint32_t value = no_value;              // its number; none: no element
    std::uint32_t reader = no_value, alone = 0;  // a thread to which it was handed over, and how often while there was no other
  };
  // Of a block: its words of shared memory; by value, the last block that loaded it and, 64 in a chunk, the threads that did.
  struct Block {
    std::uint32_t number = 0;
    std::vector<Laid> laid;
    std::vector<std::uint32_t> loaded_in;
    std::vector<std::uint64_t> loaders;
  };

  template <class Number>
  static Number at(std::uintptr_t address) {
    Number number{};
    std::memcpy(&number, reinterpret_cast<const void*>(address), sizeof number);
    return number;
  }
  template <class Number>
  static void twice(std::uintptr_t address) {
    const Number number = 2 * at<Number>(address);
    std::memcpy(reinterpret_cast<void*>(address), &number, sizeof number);
  }
  // The place of these bits in `values_`: theirs, or the free one where they belong. Half of the places are free.
  std::size_t place_of(std::uint32_t bits) const {
    std::size_t place = (bits * 0x9E3779B1u) >> 8 & (values_.size() - 1);
    while (values_[place].second != no_value && values_[place].first != bits) place = (place + 1) & (values_.size() - 1);
    return place;
  }
  // The number of a value that a thread of this block has loaded.
  std::uint32_t known(std::uint32_t bits) const {
    const std::uint32_t value = bits != 0 ? values_[place_of(bits)].second : no_value;
    return value < block_.loaded_in.size() && block_.loaded_in[value] == block_.number ? value : no_value;
  }
  bool has_loaded(std::uint32_t value, std::uint32_t thread) const {
    return (block_.loaders[value * chunks_ + thread / 64] >> (thread % 64) & 1u) != 0;
  }
  std::uint32_t numbered(std::uint32_t bits) {
    std::size_t place = place_of(bits);
    if (values_[place].second != no_value || count_ == most_values) return values_[place].second;
    if (2 * (count_ + 1) > values_.size()) {
      const auto old = std::exchange(values_, std::vector<std::pair<std::uint32_t, std::uint32_t>>(2 * values_.size(), {0, no_value}));
      for (const auto& one : old)
        if (one.second != no_value) values_[place_of(one.first)] = one;
      place = place_of(bits);
    }
    values_[place] = {bits, count_};
    return count_++;
  }
  void load(const Access& access, std::uint32_t words) {
    for (std::uint32_t i = 0; i < words; ++i) {
      ++loaded_;
      const std::uint32_t value = numbered(at<std::uint32_t>(access.address + i * word_bytes));
      if (value == no_value) continue;
      if (value >= block_.loaded_in.size()) {
        block_.loaded_in.resize(value + 1);
        block_.loaders.resize((value + 1) * chunks_);
      }
      const auto threads = block_.loaders.begin() + static_cast<std::ptrdiff_t>(value * chunks_);
      if (std::exchange(block_.loaded_in[value], block_.number) != block_.number) std::fill_n(threads, chunks_, 0);
      threads[access.by.thread / 64] |= std::uint64_t{1} << (access.by.thread % 64);
    }
  }
  void use(Laid& laid, std::uint32_t thread) {
    if (laid.value == no_value) return;
    ++read_;
    if (has_loaded(laid.value, thread)) return;
    if (laid.reader == no_value || laid.reader == thread) {
      laid.reader = thread;
      ++laid.alone;
    } else {
      laid.reader = several;
      handed_ += 1 + std::exchange(laid.alone, 0);
    }
    if (std::exchange(laid.doubled, true)) return;
    laid.wide ? twice<double>(laid.address) : twice<float>(laid.address);
  }
  void settle(Laid& laid) {
    if (!std::exchange(laid.pending, false)) return;
    laid.value = known(at<std::uint32_t>(laid.address));
    if (laid.value == no_value && laid.perhaps_wide) {
      const double wide = at<double>(laid.address);
      const auto narrow = static_cast<float>(wide);
      if (static_cast<double>(narrow) == wide) laid.value = known(std::bit_cast<std::uint32_t>(narrow));
      laid.wide = laid.value != no_value;
    }
    if (laid.value != no_value && has_loaded(laid.value, laid.by)) ++kept_;
  }

  std::size_t span_ = 0, chunks_ = 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> values_{1024, {0, no_value}};  // bits and number: a hash table
  std::uint32_t count_ = 0, last_block_ = 0;
  Block block_;
  std::unordered_map<std::uint64_t, Block> parked_;
  std::uint64_t loaded_ = 0, kept_ = 0, read_ = 0, handed_ = 0;
};

}  // namespace tilelab::simt
