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

#include <algorithm>
#include <array>
#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/memory/byte_marks.hpp"
#include "executor/memory/region.hpp"
#include "executor/observers/word_use.hpp"
#include "executor/redundant_reads.hpp"

namespace tilelab::simt {

class UninitializedReads final : public Observer {
 public:
  explicit UninitializedReads(FindingLog& log) : log_(log) {}
  bool watches(Space space) const override { return space != Space::module; }
  bool needs_every_read() const override { return false; }
  void on_launch_begin(const LaunchEvent& launch) override {
    words_.resize((launch.shared_span + 3) / 4);
    writers_.resize(words_.size());
    redundant_ = launch.redundant;
  }
  void on_block_begin(std::uint64_t) override {
    ++block_;
    ++interval_;
    block_disturbed_ = false;
  }
  void on_access(const Access& access) override {
    if (access.space == Space::shared ? !reads_what_is_there(access) : access.region->role != BufferRole::input) watch(access);
  }
  void on_barrier(const BarrierEvent&) override { close_interval(); }
  void on_block_end(std::uint64_t, std::uint32_t) override { close_interval(); }
  void on_thread_ended(const ThreadRef&) override { block_disturbed_ = true; }
  void on_block_parked(std::uint64_t block) override {
    ParkedBlock& parked = parked_[block];
    for (std::size_t place = 0; place < words_.size(); ++place) {
      if (words_[place].block == block_) parked.words.push_back({place, words_[place], writers_[place]});
    }
    parked.candidates = std::exchange(candidates_, {});
    parked.interval = interval_;
    parked.disturbed = block_disturbed_;
  }
  void on_block_resumed(std::uint64_t block) override {
    on_block_begin(block);
    auto parked = parked_.extract(block);
    if (parked.empty()) return;
    ParkedBlock& kept = parked.mapped();
    for (const auto& [place, word, writers] : kept.words) {
      words_[place] = word;
      words_[place].block = block_;
      writers_[place] = writers;
      if (writers_[place].interval == kept.interval) writers_[place].interval = interval_;
    }
    candidates_ = std::move(kept.candidates);
    block_disturbed_ = kept.disturbed;
  }
  // What was read and not written by now was read before anybody wrote it.
  void on_grid_sync() override {
    on_launch_end();
    for (Output& output : outputs_) {
      output.disputed.clear();
      output.last_byte = ~std::size_t{0};
    }
  }
  void on_launch_end() override {
    for (Output& output : outputs_) {
      std::vector<std::size_t> elements;
      for (const auto& [element, word] : output.disputed) elements.push_back(element);
      std::ranges::sort(elements);
      for (const std::size_t element : elements) {
        log_.report(output.disputed.at(element).finding);
        if (output.marks() == nullptr || element / 4 >= output.words()) continue;
        std::uint8_t& written = output.written()[element / 4];  // in later launches, what was written in the end has its value
        written = static_cast<std::uint8_t>(written | (written >> 4));
      }
    }
  }

 private:
  static std::uint64_t global_thread(const ThreadRef& by) { return by.block * 1024 + by.thread; }
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
    struct KeptWord {
      std::size_t place;
      Word word;
      Writers writers;
    };
    std::vector<KeptWord> words;  // that the block has touched
    std::vector<Candidate> candidates;
    std::uint64_t interval = 0;
    bool disturbed = false;
  };
  struct OutputWord {                    // an output element that was read before it was written
    std::vector<std::uint64_t> readers;  // each once; none if `by_all`
    bool by_all = false;
    RawFinding finding;  // of the reader with the smallest number
    bool has_read(std::uint64_t thread) const { return by_all || std::ranges::find(readers, thread) != readers.end(); }
    void add(std::uint64_t thread) {
      readers.push_back(thread);
      if (readers.size() < max_readers) return;
      by_all = true;
      readers = {};
    }
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
  void watch(const Access& access) {
    if (access.space == Space::shared) return shared_access(access);
    if (access.region->marks != nullptr && is_settled(*access.region->marks, access)) return;
    for (Output& output : outputs_) {
      if (output.region == access.region) return output_access(output, access);
    }
    const bool heap = access.region->heap != nullptr;
    const bool marked = access.region->marks != nullptr;
    if (access.region->role != BufferRole::output && !heap && !marked) return;
    const std::size_t words = heap || marked ? 0 : (access.region->bytes + 3) / 4;  // of the heap, as many as are used
    output_access(outputs_.emplace_back(Output{.region = access.region, .own = std::vector<std::uint8_t>(words), .disputed = {}}), access);
  }
  void shared_access(const Access& access) {
    const std::uint64_t end = access.offset + access.size;
    for (std::uint64_t at = access.offset; at < end;) {
      const std::uint64_t index = at / 4;
      const std::uint8_t bytes = bytes_of_word(at, end);
      at = (index + 1) * 4;
      if (index >= words_.size()) return;
      Word& word = words_[index];
      if (word.block != block_) {
        word = Word{.block = block_};
        writers_[index].interval = interval_;
      }
      if (access.kind != AccessKind::write) {
        std::uint8_t present = static_cast<std::uint8_t>(word.before | word.now);
        // Atomics of several threads do not race. So the order of threads must not decide, and an atomic of another thread is no
        // initial value.
        if (access.kind == AccessKind::atomic && writers_[index].interval == interval_)
          present = static_cast<std::uint8_t>(word.before | word.plain);
        const auto missing = static_cast<std::uint8_t>(bytes & ~present);
        if (missing != 0 && redundant_ != nullptr) redundant_->drop(index);  // every thread that reads it must be announced
        if (missing != 0 && !block_disturbed_ && candidates_.size() < max_candidates) {
          candidates_.push_back({index, missing, access.kind, finding_of(access)});
        }
      }
      if (access.kind != AccessKind::read) note_write(index, bytes, access);
    }
  }
  void note_write(std::size_t index, std::uint8_t bytes, const Access& access) {
    Word& word = words_[index];
    Writers& writers = writers_[index];
    if (writers.interval != interval_) {
      word.before = static_cast<std::uint8_t>(word.before | word.now);
      word.now = 0;
      word.plain = 0;
      writers.interval = interval_;
      word.several = 0;
    }
    const auto writer = static_cast<std::uint16_t>(access.by.thread);
    if (word.now == 0) {
      writers.latest.fill(writer);
    } else {
      for (std::size_t byte = 0; byte < 4; ++byte) {
        const unsigned bit = 1u << byte;
        if ((bytes & bit) == 0) continue;
        if ((word.now & bit) != 0 && writers.latest[byte] != writer) word.several = static_cast<std::uint8_t>(word.several | bit);
        writers.latest[byte] = writer;
      }
    }
    word.now = static_cast<std::uint8_t>(word.now | bytes);
    if (access.kind == AccessKind::write) word.plain = static_cast<std::uint8_t>(word.plain | bytes);
  }
  // An element is reported if every thread that accessed it read it first, or if nobody wrote it. Then the first access read an
  // unwritten value, whichever thread came first. (A thread that writes without reading may be ordered first, or it races with the
  // others.)
  void output_access(Output& output, const Access& access) {
    const std::uint64_t thread = global_thread(access.by), end = access.offset + access.size;
    const bool heap = access.region->heap != nullptr, marked = output.marks() != nullptr;
    if (heap && !marked && end / 4 >= output.own.size()) output.own.resize(end / 4 * 2 + 1);
    const bool is_excused = heap ? access.kind != AccessKind::write : marked && access.kind == AccessKind::read;
    if (is_excused && reads_what_is_written(output, access)) return;
    for (std::uint64_t at = access.offset; at < end && at / 4 < output.words(); at = (at / 4 + 1) * 4) {
      const std::uint8_t bytes = bytes_of_word(at, end);
      std::uint8_t& written = output.written()[at / 4];
      if (marked && access.kind != AccessKind::read) written = static_cast<std::uint8_t>(written | (bytes << 4));
      if ((bytes & ~written) == 0 || (access.kind != AccessKind::write && (bytes & written) != 0)) continue;
      if (output.last_byte == at && output.last_thread == thread) continue;  // this thread has read it before
      if (access.kind == AccessKind::write) {
        const auto disputed = output.disputed.find(at);
        if (disputed != output.disputed.end() && disputed->second.has_read(thread)) continue;
        written = static_cast<std::uint8_t>(written | bytes);
        if (disputed != output.disputed.end()) output.disputed.erase(disputed);
        continue;
      }
      OutputWord& word = output.disputed[at];
      const bool is_new = word.readers.empty() && !word.by_all, smallest = is_new || thread < global_thread(word.finding.site.by);
      if (!word.has_read(thread)) word.add(thread);
      if (smallest) word.finding = finding_of(access);
      output.last_byte = at;
      output.last_thread = thread;
    }
  }
  static void note(HostConflicts& conflicts, const Access& access) {
    const bool with_host = access.system_scope, is_object = access.is_strong && with_host;  // a load or store that the host may meet
    const bool waits = access.kind == AccessKind::read && access.is_volatile;
    if (is_object) return;
    if (access.kind != AccessKind::read) conflicts.reads.add(access.offset, access.size);
    if (waits) return;
    conflicts.writes.add(access.offset, access.size);
    if (!with_host) conflicts.atomics.add(access.offset, access.size);
  }
  // Most accesses read what has its value, or write again what a kernel has written before. Those that change a mark go the long way.
  static bool is_settled(ByteMarks& marks, const Access& access) {
    const bool reads = access.kind == AccessKind::read;
    (reads ? marks.read : marks.written).add(access.offset, access.size);
    if (access.kind == AccessKind::atomic) marks.read.add(access.offset, access.size);
    if (marks.host != nullptr) note(*marks.host, access);
    const std::uint64_t end = access.offset + access.size;
    for (std::uint64_t at = access.offset; at < end; at = (at / 4 + 1) * 4) {
      const std::uint8_t bytes = bytes_of_word(at, end);
      const auto wanted = static_cast<std::uint8_t>(reads ? bytes : bytes * 0x11);
      if ((wanted & ~marks.words[at / 4]) != 0) return false;
    }
    return true;
  }
  // Whether a thread has written some of these bytes.
  static bool reads_what_is_written(const Output& output, const Access& access) {
    const std::uint64_t end = access.offset + access.size;
    for (std::uint64_t at = access.offset; at < end && at / 4 < output.words(); at = (at / 4 + 1) * 4) {
      if ((output.written()[at / 4] & bytes_of_word(at, end)) != 0) return true;
    }
    return false;
  }
  // The bytes of a candidate that another thread writes in this interval. There the two race.
  std::uint8_t contested(const Candidate& candidate) const {
    const Word& word = words_[candidate.word];
    const Writers& writers = writers_[candidate.word];
    if (writers.interval != interval_) return 0;
    std::uint8_t others = word.several;
    for (std::size_t byte = 0; byte < 4; ++byte) {
      if (writers.latest[byte] != candidate.finding.site.by.thread) others = static_cast<std::uint8_t>(others | (1u << byte));
    }
    return static_cast<std::uint8_t>(others & (candidate.kind == AccessKind::atomic ? word.plain : word.now));
  }
  void close_interval() {
    for (const Candidate& candidate : candidates_) {
      const bool races = (candidate.bytes & ~contested(candidate)) == 0;
      if (!races && !block_disturbed_) log_.report(candidate.finding);
    }
    candidates_.clear();
    ++interval_;
  }
  static RawFinding finding_of(const Access& access) {
    RawFinding finding = finding_about(
        Verdict::uninitialized_read, access,
        access.space == Space::shared     ? "reads {element}, which no thread has written since the block started"
        : access.region->heap != nullptr  ? "reads {element}, which no thread has written since"
        : access.region->marks != nullptr ? "reads {element}, which has no value: nothing was copied there, and no kernel has written it. "
                                            "Memory does not start with zeros"
                                          : "reads {element} before any thread has written it: an output does not start with zeros");
    finding.offset -= static_cast<std::int64_t>(access.region->span_offset);
    return finding;
  }

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
