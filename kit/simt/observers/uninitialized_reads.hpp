// Finds reads of memory that nobody has written: shared arrays since the block began, output buffers since the launch began.
//
// It decides by the rules, not by the schedule. It reports a read of a byte that was unwritten when its barrier interval began,
// if no other thread writes it in that interval. (The reader itself may write it afterwards.) If another thread writes it in the
// same interval, the two race, and the race detector reports that. Atomics do not race with each other, so an atomic write
// excuses only plain reads.
//
// What a kernel allocates is like an output. Structs are copied whole, also where a member of them has no value yet and in the space
// between members. So a read of several bytes of which one was written is none of an unset value.
//
// The same holds for a buffer of a whole program. What was set before the launch is in its marks, and what this launch sets is
// added to them.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "simt/event.hpp"
#include "simt/finding_log.hpp"
#include "simt/memory/byte_marks.hpp"
#include "simt/memory/region.hpp"

namespace tilelab::simt {

class UninitializedReads final : public Observer {
 public:
  explicit UninitializedReads(FindingLog& log) : log_(log) {}
  bool watches(Space space) const override { return space != Space::module; }
  bool needs_every_read() const override { return false; }
  void on_launch_begin(const LaunchEvent& launch) override;
  void on_block_begin(std::uint64_t block) override;
  void on_access(const Access& access) override {
    if (access.space == Space::shared ? !reads_what_is_there(access) : access.region->role != BufferRole::input) watch(access);
  }
  void on_barrier(const BarrierEvent&) override { close_interval(); }
  void on_block_end(std::uint64_t, std::uint32_t) override { close_interval(); }
  void on_thread_ended(const ThreadRef&) override { block_disturbed_ = true; }
  void on_block_parked(std::uint64_t block) override;
  void on_block_resumed(std::uint64_t block) override;
  void on_grid_sync() override;
  void on_launch_end() override;

 private:
  struct Word {  // four bytes of shared memory; masks have one bit for each byte
    std::uint32_t block = 0;
    std::uint8_t before = 0, now = 0, plain = 0;  // written in earlier intervals of the block; in this one; in this one by a plain write
    std::uint8_t several = 0;                     // bytes in `now` that more than one thread has written
  };
  struct Writers {                          // of a word; kept separately, because most accesses only read words that were written
    std::uint64_t interval = 0;             // the last interval in which it was written
    std::array<std::uint16_t, 4> latest{};  // the last thread that wrote each byte in `now`
  };
  struct Candidate {
    std::size_t word;
    std::uint8_t bytes;
    AccessKind kind;
    RawFinding finding;
  };
  struct ParkedBlock {
    std::vector<std::size_t> places;
    std::vector<Word> words;  // those there that the block has touched
    std::vector<Writers> writers;
    std::vector<Candidate> candidates;
    std::uint64_t interval = 0;
    bool disturbed = false;
  };
  struct OutputWord {                    // an output element that was read before it was written
    std::vector<std::uint64_t> readers;  // each once; none if `by_all`
    bool by_all = false;
    RawFinding finding;  // of the reader with the smallest number
    bool has_read(std::uint64_t thread) const;
    void add(std::uint64_t thread);
  };
  struct Output {
    const Region* region;
    std::vector<std::uint8_t> own;                         // for each word, which bytes were written, if the buffer has no marks for that
    std::unordered_map<std::size_t, OutputWord> disputed;  // by the first byte that was read
    std::size_t last_byte = ~std::size_t{0};               // the last disputed one and its reader; accumulating into C repeats them
    std::uint64_t last_thread = 0;

    // For each word, which bytes were written: by a thread that had not read them before.
    std::uint8_t* written() { return marks() != nullptr ? marks()->words : own.data(); }
    const std::uint8_t* written() const { return marks() != nullptr ? marks()->words : own.data(); }
    std::size_t words() const { return marks() != nullptr ? (region->bytes + 3) / 4 : own.size(); }
    ByteMarks* marks() const { return region->marks; }
  };

  // Reads of whole words that this block has already written.
  bool reads_what_is_there(const Access& access) const {
    if (access.kind != AccessKind::read || ((access.offset | access.size) & 3u) != 0) return false;
    const std::size_t end = (access.offset + access.size) / 4;
    if (end > words_.size()) return false;
    for (std::size_t at = access.offset / 4; at < end; ++at) {
      if (words_[at].block != block_ || (words_[at].before | words_[at].now) != 0xF) return false;
    }
    return true;
  }
  void watch(const Access& access);
  void shared_access(const Access& access);
  void note_write(std::size_t index, std::uint8_t bytes, const Access& access);
  void output_access(Output& output, const Access& access);
  static void note(HostConflicts& conflicts, const Access& access);
  static bool is_settled(ByteMarks& marks, const Access& access);
  static bool reads_what_is_written(const Output& output, const Access& access);
  std::uint8_t contested(const Candidate& candidate) const;
  void close_interval();
  static RawFinding finding_of(const Access& access);

  static constexpr std::size_t max_candidates = 1u << 16;
  static constexpr std::size_t max_readers = 64;  // of one element; after that, every thread counts as a reader
  FindingLog& log_;
  std::vector<Word> words_;
  std::vector<Writers> writers_;  // one for each word
  std::vector<Candidate> candidates_;
  std::vector<Output> outputs_;  // those and the heap, that were touched so far: their contents are undefined when the kernel starts
  std::unordered_map<std::uint64_t, ParkedBlock> parked_;
  std::uint32_t block_ = 0;  // counted in the order in which blocks run, anew after each wait for others
  std::uint64_t interval_ = 0;
  RedundantReads* redundant_ = nullptr;
  bool block_disturbed_ = false;  // a thread was ended: writes that it did not reach are not the kernel's omission
};

}  // namespace tilelab::simt
