// Reads of memory nobody has written: shared arrays since the block began, output buffers since the launch began.
//
// Decided by the rules, not by the schedule: a read of a byte that was unwritten when its barrier interval began, and
// that only the reader itself writes in that interval (afterwards) or nobody does. Where another thread writes it in
// the same interval the two race, which is the race detector's finding.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "simt/event.hpp"
#include "simt/finding_log.hpp"

namespace tilelab::simt {

class UninitializedReads final : public Observer {
 public:
  // `output`: the buffers whose contents are undefined when the kernel starts.
  UninitializedReads(FindingLog& log, std::vector<const Region*> outputs);
  bool watches(Space space) const override { return space != Space::module; }
  void on_launch_begin(const LaunchEvent& launch) override;
  void on_block_begin(std::uint64_t block) override;
  void on_access(const Access& access) override;
  void on_barrier(const BarrierEvent&) override { close_interval(); }
  void on_block_end(std::uint64_t, std::uint32_t) override { close_interval(); }
  void on_thread_ended(const ThreadRef&) override { block_disturbed_ = true; }
  void on_launch_end() override;

 private:
  struct Word {                  // four bytes of shared memory; masks have one bit per byte
    std::uint64_t interval = 0;  // the last one it was written in
    std::uint32_t block = 0;
    std::uint16_t writer = 0;
    std::uint8_t before = 0, now = 0;  // written in earlier intervals of the block; in this one
    bool several_writers = false;
  };
  struct Candidate {
    std::size_t word;
    std::uint8_t bytes;
    RawFinding finding;
  };
  struct OutputWord {
    bool written = false, read_first = false;
    std::uint64_t writer = 0;
    RawFinding finding;
  };
  struct Output {
    const Region* region;
    std::vector<std::uint8_t> written;
    std::map<std::size_t, OutputWord> disputed;
  };

  void shared_access(const Access& access);
  void note_write(Word& word, std::uint8_t bytes, const Access& access) const;
  void output_access(Output& output, const Access& access);
  void close_interval();
  static RawFinding finding_of(const Access& access);

  static constexpr std::size_t max_candidates = 1u << 16;
  FindingLog& log_;
  std::vector<Word> words_;
  std::vector<Candidate> candidates_;
  std::vector<Output> outputs_;
  std::uint32_t block_ = 0;  // counted as they run
  std::uint64_t interval_ = 0;
  bool block_disturbed_ = false;  // a thread was ended: what it did not write is not the kernel's omission
};

}  // namespace tilelab::simt
