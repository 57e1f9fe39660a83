// What earlier blocks and intervals of the launch did to each word of global memory, merged by statement. Only fences order
// accesses of different blocks. So two statements race if two different blocks ran them and no fence orders them. They are
// compared when the launch ends. The race detector compares threads of one block, at the end of each interval.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <vector>

#include "simt/finding_log.hpp"
#include "simt/observers/chunked_list.hpp"
#include "simt/observers/fence_order.hpp"
#include "simt/observers/word_use.hpp"

namespace tilelab::simt {

class AccessHistory {
 public:
  explicit AccessHistory(FindingLog& log) : log_(log) {}
  void allow_same_value() { same_value_allowed_ = true; }

  // The word's past accesses that the thread knows to have happened before its own access. They count as ordered. `atomic_turn`:
  // the thread knows of an atomic of its block on this word, which came after those that other blocks made until that turn.
  std::uint64_t known(std::uintptr_t word, const Footprint& own, std::uint32_t block, std::uint32_t thread, const FenceOrder& fences,
                      std::optional<std::uint32_t> atomic_turn);
  // Another block runs from now on. Turns are counted.
  void begin_turn() { ++turn_; }
  std::uint32_t turn() const { return turn_; }
  // An interval has ended: `footprint` becomes part of the word's past.
  void commit(std::uintptr_t word, const Footprint& footprint, std::uint32_t block, std::uint32_t interval, std::uint32_t segment);
  void settle(std::uintptr_t word, const Region* region);  // after the last commit of a word in an interval
  void report();                                           // at the launch's end
  void forget();                                           // all of it: what comes now is ordered after it
  bool ordered_some() const { return ordered_some_; }      // some accesses conflict, and only fences or atomics order them

 private:
  struct Node {
    std::uintptr_t pc = 0;
    const Region* region = nullptr;
    std::uint64_t after = 0;
    Moment lowest, highest;  // by block and thread; of these blocks the latest interval and epoch
    std::uint32_t turn = 0;  // of the latest of these accesses
    std::uint32_t last_block = 0, next = 0, content = 0;
    AccessKind kind = AccessKind::read;
    std::uint8_t bytes = 0;
    bool is_volatile = false, is_strong = false, block_scope = false,
         closed = false;  // closed: ordered by a fence, so no accesses are merged into it
    bool has_content = false, several_values = false;
  };
  struct Free {
    void operator()(void* memory) const { std::free(memory); }
  };
  struct Shadow {
    const Region* region = nullptr;
    std::uintptr_t first = 0;
    std::size_t words = 0;
    std::unique_ptr<std::uint32_t, Free> heads;  // for each word, the head of its list of nodes; 0: none; untouched pages use no memory
  };

  std::uint32_t* head(std::uintptr_t word, const Region* region);
  static bool takes(const Node& node, const Footprint& footprint);
  static void widen(Node& node, const Moment& moment);
  void prune(std::uint32_t* head, std::uintptr_t word);
  void compare(std::uintptr_t word, const Node& first, const Node& second);
  void compare_all(std::uintptr_t word, std::uint32_t head);

  static constexpr std::size_t max_nodes = 1u << 22;  // words first touched after that many nodes are not watched
  static constexpr std::size_t many_nodes = 16;       // of one word; above it, a later write drops the nodes that it is ordered after
  static constexpr std::size_t most_of_a_word = 63;   // one for each bit of a mask

  FindingLog& log_;
  bool same_value_allowed_ = false, ordered_some_ = false;
  bool has_atomics_ = false;  // some word's past has
  std::vector<Shadow> shadows_;
  std::uint32_t turn_ = 0;
  ChunkedList<Node> nodes_{1};
  std::vector<std::uint32_t> free_;
  struct Suspect {
    std::uintptr_t word;
    const Region* region;
  };
  std::vector<Suspect> suspects_;
};

}  // namespace tilelab::simt
