// What earlier blocks and intervals of the launch did to each word of global memory, merged by statement. Only fences order
// accesses of different blocks. So two statements race if two different blocks ran them and no fence orders them. They are
// compared when the launch ends. The race detector compares threads of one block, at the end of each interval.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "executor/finding_log.hpp"
#include "executor/observers/fence_order.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

class AccessHistory {
 public:
  AccessHistory(FindingLog& log, SameValue same_value) : log_(log), same_value_(same_value) {}

  // The word's past accesses that the thread knows to have happened before its own access. They count as ordered. `atomic_turns`: the
  // thread knows of an atomic of its block on this word, which came after those that other blocks made in so many turns; 0: of none.
  std::uint64_t known(std::uintptr_t word, const Footprint& own, std::uint32_t block, std::uint32_t thread, const FenceOrder& fences,
                      std::uint64_t atomic_turns) {
    if (!has_atomics_ && !fences.in_use()) return 0;  // nothing else orders blocks
    const std::uint32_t* first = head(word, own.region);
    if (first == nullptr || *first == 0) return 0;
    for (std::uint32_t at = *first; at != 0; at = nodes_[at].next) {
      if (nodes_[at].kind == AccessKind::atomic && nodes_[at].last_block == block)
        atomic_turns = std::max(atomic_turns, std::uint64_t{nodes_[at].turn} + 1);
    }
    std::uint64_t mask = 0;
    std::size_t position = 0;
    for (std::uint32_t at = *first; at != 0; at = nodes_[at].next, ++position) {
      Node& node = nodes_[at];
      if (!conflict(node, own, false, false) || (node.lowest.block == block && node.highest.block == block)) continue;
      const bool by_atomic = node.turn < atomic_turns && node.kind == AccessKind::atomic && own.kind != AccessKind::atomic;
      const bool by_fence = fences.in_use() && fences.knows(thread, node.lowest) && fences.knows(thread, node.highest);
      if (!by_atomic && !by_fence) continue;
      mask |= position_bit(position);
      node.closed = true;
      ordered_some_ = true;
    }
    return mask;
  }
  // Another block runs from now on. Turns are counted.
  void begin_turn() { ++turn_; }
  std::uint32_t turn() const { return turn_; }
  // An interval has ended: `footprint` becomes part of the word's past.
  void commit(std::uintptr_t word, const Footprint& footprint, std::uint32_t block, std::uint32_t interval, std::uint32_t segment) {
    std::uint32_t* first = head(word, footprint.region);
    if (first == nullptr) return;
    has_atomics_ = has_atomics_ || footprint.kind == AccessKind::atomic;
    const Moment lowest{block, interval, footprint.lowest, footprint.epoch, footprint.warp_interval, segment};
    Moment highest = lowest;
    highest.thread = footprint.highest;
    std::size_t length = 0;
    std::uint32_t* link = first;
    std::uint32_t fallback = 0;
    for (; *link != 0; link = &nodes_[*link].next, ++length) {
      Node& node = nodes_[*link];
      if (!node.is_like(footprint)) continue;
      fallback = *link;
      if (node.after == footprint.after_past && (!node.closed || node.lowest.block == node.highest.block) &&
          (!node.closed || (node.lowest.block == block && node.turn == turn_)))
        break;
    }
    std::uint32_t into = *link;
    if (into == 0 && length >= most_of_a_word) into = fallback;
    if (into == 0) {
      if (length >= most_of_a_word || nodes_.size() >= max_nodes) return;
      if (free_.empty()) {
        into = static_cast<std::uint32_t>(nodes_.size());
        nodes_.emplace_back();
      } else {
        into = free_.back();
        free_.pop_back();
      }
      *link = into;  // first, because the list may grow again; its elements stay where they are
      Node& node = nodes_[into];
      node = Node{footprint};
      node.after = footprint.after_past;
      node.lowest = lowest;
      node.highest = highest;
      node.last_block = block;
      node.turn = turn_;
      if (length == 1) suspects_.push_back({word, footprint.region});
      return;
    }
    Node& node = nodes_[into];
    const bool first_other_block = node.lowest.block == node.highest.block && block != node.lowest.block;
    node.several_values =
        node.several_values || footprint.several_values || node.has_content != footprint.has_content || node.content != footprint.content;
    node.last_block = block;
    node.turn = turn_;
    widen(node, lowest);
    widen(node, highest);
    // If the list has one node that only reads, there can be no race. If it has more than one node, the word is already listed.
    if (first_other_block && length == 0 && node.next == 0 && node.kind != AccessKind::read) suspects_.push_back({word, footprint.region});
  }
  // After the last commit of a word in an interval.
  void settle(std::uintptr_t word, const Region* region) {
    std::uint32_t* first = head(word, region);
    if (first == nullptr) return;
    std::size_t length = 0;
    for (std::uint32_t at = *first; at != 0; at = nodes_[at].next) ++length;
    if (length > many_nodes) prune(first, word);
  }
  // At the launch's end.
  void report() {
    std::sort(suspects_.begin(), suspects_.end(), [](const Suspect& a, const Suspect& b) { return a.word < b.word; });
    const auto same = [](const Suspect& a, const Suspect& b) { return a.word == b.word && a.region == b.region; };
    suspects_.erase(std::unique(suspects_.begin(), suspects_.end(), same), suspects_.end());
    for (const Suspect& suspect : suspects_) {
      if (const std::uint32_t* first = head(suspect.word, suspect.region)) compare_all(suspect.word, *first);
    }
  }
  // All of it: what comes now is ordered after it.
  void forget() {
    shadows_.clear();
    nodes_.resize(1);
    free_.clear();
    suspects_.clear();
  }
  bool ordered_some() const { return ordered_some_; }  // some accesses conflict, and only fences or atomics order them

 private:
  struct Node : WordAccess {
    Node() = default;
    explicit Node(const WordAccess& access) : WordAccess(access) {}
    std::uint64_t after = 0;
    Moment lowest, highest;  // by block and thread; of these blocks the latest interval and epoch
    std::uint32_t turn = 0;  // of the latest of these accesses
    std::uint32_t last_block = 0, next = 0;
    bool closed = false;  // ordered by a fence, so no accesses are merged into it
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

  static std::pair<std::uint32_t, std::uint16_t> place(const Moment& moment) { return {moment.block, moment.thread}; }
  // Of two moments of one block, keeps the later: whoever knows of it knows of the earlier one too.
  static void keep_later(Moment& kept, const Moment& other) {
    if (other.interval > kept.interval) {
      kept.interval = other.interval;
      kept.epoch = other.epoch;
      kept.warp_interval = other.warp_interval;
      kept.segment = other.segment;
    } else if (other.interval == kept.interval) {
      kept.epoch = std::max(kept.epoch, other.epoch);
      kept.warp_interval = std::max(kept.warp_interval, other.warp_interval);
      kept.segment = std::max(kept.segment, other.segment);
    }
  }
  std::uint32_t* head(std::uintptr_t word, const Region* region) {
    for (Shadow& shadow : shadows_) {
      if (shadow.region == region) return word - shadow.first < shadow.words ? shadow.heads.get() + (word - shadow.first) : nullptr;
    }
    Shadow& shadow = shadows_.emplace_back();
    shadow.region = region;
    shadow.first = region->base / 4;
    shadow.words = (region->base + region->bytes + 3) / 4 - shadow.first;
    shadow.heads.reset(static_cast<std::uint32_t*>(std::calloc(shadow.words, sizeof(std::uint32_t))));
    if (!shadow.heads) shadow.words = 0;
    return head(word, region);
  }
  static void widen(Moment& end, const Moment& moment, bool is_beyond) {
    Moment next = is_beyond ? moment : end;
    if (moment.block == end.block) keep_later(next, is_beyond ? end : moment);
    end = next;
  }
  static void widen(Node& node, const Moment& moment) {
    widen(node.lowest, moment, place(moment) < place(node.lowest));
    widen(node.highest, moment, place(node.highest) < place(moment));
  }
  // Drops nodes that a later write is ordered after. A later access that races with a dropped node also races with that write.
  void prune(std::uint32_t* first, std::uintptr_t word) {
    std::vector<std::uint32_t> list;
    for (std::uint32_t at = *first; at != 0; at = nodes_[at].next) list.push_back(at);
    for (std::size_t i = list.size(); i-- > 0;) {
      const Node& old = nodes_[list[i]];
      const bool covered = std::any_of(list.begin(), list.end(), [&](std::uint32_t at) {
        const Node& write = nodes_[at];
        return write.kind == AccessKind::write && (write.after & position_bit(i)) != 0 && (old.bytes & ~write.bytes) == 0;
      });
      if (!covered) continue;
      for (std::size_t j = 0; j < list.size(); ++j) {
        const Node& other = nodes_[list[j]];
        if ((other.after & position_bit(i)) == 0 && (old.after & position_bit(j)) == 0) compare(word, old, other);
      }
      free_.push_back(list[i]);
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
      for (const std::uint32_t at : list) nodes_[at].after = without_position(nodes_[at].after, i);
    }
    std::uint32_t* link = first;
    for (const std::uint32_t at : list) {
      *link = at;
      link = &nodes_[at].next;
    }
    *link = 0;
  }
  void compare(std::uintptr_t word, const Node& a, const Node& b) {
    if (!conflict(a, b, false, false)) return;
    if (same_value_ == SameValue::allowed && same_value(a, b)) return;
    if (b.rank() < a.rank()) return compare(word, b, a);
    const bool alike = a.rank() == b.rank();
    std::optional<std::pair<std::pair<std::uint32_t, std::uint16_t>, std::pair<std::uint32_t, std::uint16_t>>> racing;
    for (const Moment& first : {a.lowest, a.highest}) {
      for (const Moment& second : {b.lowest, b.highest}) {
        if (first.block == second.block) continue;
        std::pair both(place(first), place(second));
        if (alike && both.second < both.first) std::swap(both.first, both.second);
        if (!racing || both < *racing) racing = both;
      }
    }
    if (!racing) return;
    const auto& [first, second] = *racing;
    RawFinding finding = race_between(a, {first.first, first.second}, b, {second.first, second.second}, word);
    finding.same_value = same_value_ == SameValue::told && same_value(a, b);
    const auto says_so = [](const Node& node) { return node.kind == AccessKind::atomic || node.is_strong; };
    if ((a.block_scope || b.block_scope) && says_so(a) && says_so(b)) finding.about = RawFinding::About::scope;
    log_.report(finding);
  }
  void compare_all(std::uintptr_t word, std::uint32_t head) {
    std::vector<const Node*> list;
    for (std::uint32_t at = head; at != 0; at = nodes_[at].next) list.push_back(&nodes_[at]);
    for (std::size_t i = 0; i < list.size(); ++i) {
      for (std::size_t j = i; j < list.size(); ++j) {
        if ((list[j]->after & position_bit(i)) == 0 && (list[i]->after & position_bit(j)) == 0) compare(word, *list[i], *list[j]);
      }
    }
  }

  static constexpr std::size_t max_nodes = 1u << 22;  // words first touched after that many nodes are not watched
  static constexpr std::size_t many_nodes = 16;       // of one word; above it, a later write drops the nodes that it is ordered after
  static constexpr std::size_t most_of_a_word = 63;   // one for each bit of a mask

  FindingLog& log_;
  SameValue same_value_;
  bool ordered_some_ = false;
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
