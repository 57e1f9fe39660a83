// What earlier blocks and intervals of the launch did to each word of global memory, merged by statement: between blocks
// nothing but fences orders accesses, so two statements race where two different blocks ran them and no fence joins those.
// Compared when the launch ends. Not here: threads of one block, which the race detector compares interval by interval.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <vector>

#include "simt/finding_log.hpp"
#include "simt/observers/fence_order.hpp"
#include "simt/observers/word_use.hpp"

namespace tilelab::simt {

class AccessHistory {
 public:
  explicit AccessHistory(FindingLog& log) : log_(log) {}
  void allow_same_value() { same_value_allowed_ = true; }

  // Which of the word's past accesses the thread knows to have happened before this one of its own; they count as
  // ordered. `its_atomic`: the thread knows of an atomic of its block on this word, which came after those of other blocks.
  std::uint64_t known(std::uintptr_t word, const Footprint& own, std::uint32_t block, std::uint32_t thread, const FenceOrder& fences,
                      bool its_atomic);
  // An interval is over: `footprint` joins the word's past.
  void commit(std::uintptr_t word, const Footprint& footprint, std::uint32_t block, std::uint32_t interval);
  void settle(std::uintptr_t word, const Region* region);  // after a word's last commit of an interval
  void report();                                           // at the launch's end
  bool ordered_some() const { return ordered_some_; }      // accesses that conflict, and that only fences or atomics order

 private:
  struct Node {
    std::uintptr_t pc = 0;
    const Region* region = nullptr;
    std::uint64_t after = 0;
    Moment lowest, highest;  // by block and thread; of their blocks the latest interval and epoch
    std::uint32_t last_block = 0, next = 0, content = 0;
    AccessKind kind = AccessKind::read;
    std::uint8_t bytes = 0;
    bool is_volatile = false, block_scope = false, closed = false;  // closed: takes no more accesses, fences order it
    bool has_content = false, several_values = false;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Shadow {
    const Region* region = nullptr;
    std::uintptr_t first = 0;
    std::size_t words = 0;
    std::unique_ptr<std::uint32_t, Free> heads;  // of each word's list of nodes, 0: none; pages untouched cost nothing
  };

  std::uint32_t* head(std::uintptr_t word, const Region* region);
  static bool takes(const Node& node, const Footprint& footprint);
  static void widen(Node& node, const Moment& moment);
  void prune(std::uint32_t* head, std::uintptr_t word);
  void compare(std::uintptr_t word, const Node& first, const Node& second);
  void compare_all(std::uintptr_t word, std::uint32_t head);

  static constexpr std::size_t max_nodes = 1u << 22;  // words touched for the first time past these are not watched
  static constexpr std::size_t many_nodes = 16;       // of one word: what a later write is ordered after is dropped
  static constexpr std::size_t most_of_a_word = 63;   // as many as a mask has bits for

  FindingLog& log_;
  bool same_value_allowed_ = false, ordered_some_ = false;
  std::vector<Shadow> shadows_;
  std::deque<Node> nodes_{1};
  std::vector<std::uint32_t> free_;
  struct Suspect {
    std::uintptr_t word;
    const Region* region;
  };
  std::vector<Suspect> suspects_;
};

}  // namespace tilelab::simt
