// The requests that the warps of the running block have made since their last barrier, and how far each lane is on its way through them.
// RequestCounter makes them and counts them. The machine tells a redundant read of one word here directly, because most reads are such
// reads of lanes that do what the lanes before them did: they join the request that is next on the lane's way.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/observers/control_path.hpp"

namespace tilelab::simt {

// Which 4-byte words the lanes of one request access. Sectors and shared-memory wavefronts follow from them. They are stored as
// rows of 128 bytes with a bit for each word, linked in a pool. Most requests need one row.
class FootprintPool {
 public:
  static constexpr std::uint32_t end = ~0u;

  void clear() { rows_.clear(); }
  // Adds `size` bytes at `address` to the list that begins at `head` (`end`: a new one). Returns the list's head.
  std::uint32_t add(std::uint32_t head, std::uintptr_t address, std::uint32_t size) {
    const std::uintptr_t first = address / 4, last = (address + size - 1) / 4;
    for (std::uintptr_t word = first; word <= last;) {
      const std::uintptr_t stop = std::min(last, word | 31);
      const auto count = static_cast<unsigned>(stop - word + 1);
      const std::uint32_t bits = (count == 32 ? ~0u : (1u << count) - 1) << (word & 31);
      head = add_row(head, word / 32, bits);
      word = stop + 1;
    }
    return head;
  }

  // The same for at most four bytes. Most requests have one row, which their first lane has made.
  std::uint32_t add_narrow(std::uint32_t head, std::uintptr_t address, std::uint32_t size) {
    const std::uintptr_t word = address / 4;
    const bool in_one_word = size != 0 && address % 4 + size <= 4;
    if (!in_one_word || head == end || rows_[head].row != word / 32) return add(head, address, size);
    rows_[head].words |= 1u << (word & 31);
    return head;
  }

  // Adds one word where it lies in the row that `head` begins with. False: it lies elsewhere, and was not added.
  [[gnu::always_inline]] bool add_to_first_row(std::uint32_t head, std::uintptr_t word) {
    if (head == end || rows_[head].row != word / 32) return false;
    rows_[head].words |= 1u << (word & 31);
    return true;
  }

  // The number of distinct 32-byte segments of global memory.
  std::uint32_t sectors(std::uint32_t head) const {
    std::uint32_t count = 0;
    for (; head != end; head = rows_[head].next) {
      for (unsigned sector = 0; sector < 4; ++sector) count += (rows_[head].words >> (8 * sector) & 0xFF) != 0;
    }
    return count;
  }
  // The number of distinct words.
  std::uint32_t words(std::uint32_t head) const {
    std::uint32_t count = 0;
    for (; head != end; head = rows_[head].next) count += static_cast<std::uint32_t>(std::popcount(rows_[head].words));
    return count;
  }
  // The largest number of distinct words in one of the 32 banks of shared memory. Lanes with equal words count once.
  std::uint32_t most_words_of_a_bank(std::uint32_t head) const {
    std::array<std::uint8_t, 32> words{};
    for (; head != end; head = rows_[head].next) {
      for (std::uint32_t left = rows_[head].words; left != 0; left &= left - 1) ++words[static_cast<unsigned>(std::countr_zero(left))];
    }
    return *std::max_element(words.begin(), words.end());
  }

 private:
  struct Row {
    std::uintptr_t row;
    std::uint32_t words, next;
  };

  std::uint32_t add_row(std::uint32_t head, std::uintptr_t row, std::uint32_t bits) {
    for (std::uint32_t at = head; at != end; at = rows_[at].next) {
      if (rows_[at].row == row) {
        rows_[at].words |= bits;
        return head;
      }
    }
    rows_.push_back({row, bits, head});
    return static_cast<std::uint32_t>(rows_.size() - 1);
  }

  std::vector<Row> rows_;
};

// One lane's instruction moves at most 16 bytes: what is longer becomes several. Each has a number; of one alone it is 0.
template <typename Piece>
void each_instruction(const Access& access, Piece piece) {
  constexpr std::uint32_t widest = 16;
  if (access.size <= widest) return piece(0, access.size, 0);
  const auto fits = [&](std::uint32_t step) { return access.address % step == 0 && access.size % step == 0; };
  const std::uint32_t step = fits(16) ? 16 : fits(8) ? 8 : 4;
  for (std::uint32_t at = 0; at < access.size; at += step) piece(at, std::min(step, access.size - at), at + 1);
}

class WarpRequests {
 public:
  static constexpr std::uint32_t no = FootprintPool::end;
  static constexpr std::size_t most = 4u << 20;  // of one warp between two barriers

  struct Request {
    std::uintptr_t instruction = 0;
    std::uint64_t path = 0;
    std::uint32_t lanes = 0;
    std::uint32_t tally = 0;   // index
    std::uint32_t words = no;  // footprint; for wide requests in shared memory, an index into Warp::wide
    std::uint8_t size = 0;     // bytes of the widest lane
    bool of_copy = false;
  };
  struct Lane {
    ControlPath path;
    std::uint32_t next = 0;    // index of its next request in the warp's list
    std::uint64_t joined = 0;  // reads of the running block that joins() has counted
  };
  using LaneAddresses = std::array<std::uintptr_t, 32>;
  struct Warp {
    std::vector<Request> requests;
    std::unordered_map<std::uint64_t, std::uint32_t> index;  // by (instruction, path); also finds requests that repeat it
    FootprintPool words;
    std::vector<LaneAddresses> wide;
    bool is_full() const { return requests.size() >= most; }
  };
  struct Block {
    std::vector<Lane> lanes;
    std::vector<Warp> warps;
  };

  explicit WarpRequests(LoopMap loops) : loops_(std::move(loops)) {}

  void make_room(std::size_t threads) {
    block_.lanes.assign(threads, {});
    block_.warps.assign((threads + 31) / 32, {});
  }
  Block put_aside() { return std::exchange(block_, Block{std::vector<Lane>(block_.lanes.size()), std::vector<Warp>(block_.warps.size())}); }
  void take_up(Block block) { block_ = std::move(block); }

  const LoopMap& loops() const { return loops_; }
  std::vector<Lane>& lanes() { return block_.lanes; }
  std::vector<Warp>& warps() { return block_.warps; }
  std::uint64_t joined_by(std::uint32_t thread) const { return block_.lanes[thread].joined; }

  // This thread runs until another one is named.
  void runs(const ThreadRef& by) {
    running_ = &block_.lanes[by.thread];
    its_warp_ = &block_.warps[by.warp()];
    its_bit_ = 1u << by.lane();
  }
  // The running thread reads one word, at a multiple of four. False: it has to be announced, and nothing has changed.
  [[gnu::always_inline]] bool joins(std::uintptr_t address, std::uintptr_t pc) {
    Lane& lane = *running_;
    Warp& warp = *its_warp_;
    if (lane.next >= warp.requests.size() || warp.is_full()) return false;
    Request& request = warp.requests[lane.next];
    if (request.instruction != pc || request.path != lane.path.key() || (request.lanes & its_bit_) != 0) return false;
    if (!warp.words.add_to_first_row(request.words, address / 4)) return false;
    request.lanes |= its_bit_;
    if (request.size < 4) [[unlikely]]
      request.size = 4;
    ++lane.next;
    ++lane.joined;
    return true;
  }
  // A basic block begins. False: its lane's path has to be looked up, and nothing has changed.
  [[gnu::always_inline]] bool goes_on(std::uintptr_t pc) { return running_->path.goes_on(loops_, pc); }

 private:
  LoopMap loops_;
  Block block_;
  Lane* running_ = nullptr;
  Warp* its_warp_ = nullptr;
  std::uint32_t its_bit_ = 0;
};

}  // namespace tilelab::simt
