// How each element of an output came to the thread that stores it, where a kernel only moves elements and no two of them are
// alike: out of shared memory, where another thread had laid it (handed over); out of shared memory, but loaded from global memory
// by the very thread that stores it (kept); or past shared memory (direct). Elements are followed by their values,
// which are whole numbers: in shared memory, one may lie as a double.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "simt/event.hpp"

namespace tilelab::simt {

class Handover final : public Observer {
 public:
  bool watches(Space) const override { return true; }
  void on_launch_begin(const LaunchEvent& launch) override;
  void on_block_begin(std::uint64_t block) override;
  void on_access(const Access& access) override;
  void on_block_end(std::uint64_t, std::uint32_t) override { settle(); }
  void on_block_parked(std::uint64_t block) override {
    settle();
    parked_[block] = {std::exchange(laid_, {}), std::exchange(taken_, {})};
  }
  void on_block_resumed(std::uint64_t block) override {
    on_block_begin(block);
    std::tie(laid_, taken_) = std::exchange(parked_[block], {});
  }
  void on_launch_end() override { settle(); }

  std::map<std::string, std::uint64_t> counters() const {
    return {{"handed_elements", handed_}, {"kept_elements", kept_}, {"direct_elements", direct_}};
  }

 private:
  // A store is announced before it happens: what it stored is read when the next event comes.
  struct Stored {
    std::uintptr_t address = 0;
    std::uint32_t words = 0, thread = 0;
    bool shared = false;
  };

  void settle();
  void arrived(std::uint32_t value, std::uint32_t thread);

  std::uint64_t threads_ = 0, block_ = 0;
  Stored stored_;
  std::unordered_map<std::uint32_t, std::uint64_t> loaders_;  // by value: the thread of the launch that loaded it from an input
  // Of the running block.
  std::unordered_set<std::uint32_t> laid_;   // values that were stored in shared memory
  std::unordered_set<std::uint64_t> taken_;  // of those, with the thread that loaded them there
  std::unordered_map<std::uint64_t, std::pair<std::unordered_set<std::uint32_t>, std::unordered_set<std::uint64_t>>> parked_;
  std::uint64_t handed_ = 0, kept_ = 0, direct_ = 0;
};

}  // namespace tilelab::simt
