// Keeps a mask of written bytes for each word of shared memory, and a written-flag for each element of output buffers.
#include "simt/observers/uninitialized_reads.hpp"

#include <algorithm>
#include <utility>

#include "simt/memory/region.hpp"
#include "simt/redundant_reads.hpp"

namespace tilelab::simt {
namespace {

std::uint64_t global_thread(const ThreadRef& by) { return by.block * 1024 + by.thread; }

// A mask of the bytes from `first` on that are in its word and before `end`.
std::uint8_t bytes_of_word(std::uint64_t first, std::uint64_t end) {
  const std::uint64_t last = std::min(end, (first / 4 + 1) * 4);
  return static_cast<std::uint8_t>(((1u << (last - first)) - 1u) << (first % 4));
}

}  // namespace

void UninitializedReads::on_launch_begin(const LaunchEvent& launch) {
  words_.resize((launch.shared_span + 3) / 4);
  writers_.resize(words_.size());
  redundant_ = launch.redundant;
}

void UninitializedReads::on_block_begin(std::uint64_t) {
  ++block_;
  ++interval_;
  block_disturbed_ = false;
}

void UninitializedReads::on_block_parked(std::uint64_t block) {
  ParkedBlock& parked = parked_[block];
  for (std::size_t place = 0; place < words_.size(); ++place) {
    if (words_[place].block != block_) continue;
    parked.places.push_back(place);
    parked.words.push_back(words_[place]);
    parked.writers.push_back(writers_[place]);
  }
  parked.candidates = std::exchange(candidates_, {});
  parked.interval = interval_;
  parked.disturbed = block_disturbed_;
}

void UninitializedReads::on_block_resumed(std::uint64_t block) {
  on_block_begin(block);
  auto parked = parked_.extract(block);
  if (parked.empty()) return;
  ParkedBlock& kept = parked.mapped();
  for (std::size_t i = 0; i < kept.places.size(); ++i) {
    const std::size_t place = kept.places[i];
    words_[place] = kept.words[i];
    words_[place].block = block_;
    writers_[place] = kept.writers[i];
    if (writers_[place].interval == kept.interval) writers_[place].interval = interval_;
  }
  candidates_ = std::move(kept.candidates);
  block_disturbed_ = kept.disturbed;
}

// What was read and not written by now was read before anybody wrote it.
void UninitializedReads::on_grid_sync() {
  on_launch_end();
  for (Output& output : outputs_) {
    output.disputed.clear();
    output.last_byte = ~std::size_t{0};
  }
}

RawFinding UninitializedReads::finding_of(const Access& access) {
  RawFinding finding;
  finding.kind = Verdict::uninitialized_read;
  finding.what =
      access.space == Space::shared    ? "reads {element}, which no thread has written since the block started"
      : access.region->heap != nullptr ? "reads {element}, which no thread has written since"
      : access.region->marks != nullptr
          ? "reads {element}, which has no value: nothing was copied there, and no kernel has written it. Memory does not start with zeros"
          : "reads {element} before any thread has written it: an output does not start with zeros";
  finding.site = {access.pc, access_name(access.kind), access.by};
  finding.region = access.region;
  finding.offset = static_cast<std::int64_t>(access.offset) - static_cast<std::int64_t>(access.region->span_offset);
  finding.size = access.size;
  return finding;
}

void UninitializedReads::watch(const Access& access) {
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

void UninitializedReads::note(HostConflicts& conflicts, const Access& access) {
  const bool with_host = access.system_scope, is_object = access.is_strong && with_host;  // a load or store that the host may meet
  const bool waits = access.kind == AccessKind::read && access.is_volatile;
  if (is_object) return;
  if (access.kind != AccessKind::read) conflicts.reads.add(access.offset, access.size);
  if (waits) return;
  conflicts.writes.add(access.offset, access.size);
  if (!with_host) conflicts.atomics.add(access.offset, access.size);
}

// Most accesses read what has its value, or write again what a kernel has written before. Those that change a mark go the long way.
bool UninitializedReads::is_settled(ByteMarks& marks, const Access& access) {
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

void UninitializedReads::shared_access(const Access& access) {
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

void UninitializedReads::note_write(std::size_t index, std::uint8_t bytes, const Access& access) {
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

// The bytes of a candidate that another thread writes in this interval. There the two race.
std::uint8_t UninitializedReads::contested(const Candidate& candidate) const {
  const Word& word = words_[candidate.word];
  const Writers& writers = writers_[candidate.word];
  if (writers.interval != interval_) return 0;
  std::uint8_t others = word.several;
  for (std::size_t byte = 0; byte < 4; ++byte) {
    if (writers.latest[byte] != candidate.finding.site.by.thread) others = static_cast<std::uint8_t>(others | (1u << byte));
  }
  return static_cast<std::uint8_t>(others & (candidate.kind == AccessKind::atomic ? word.plain : word.now));
}

void UninitializedReads::close_interval() {
  for (const Candidate& candidate : candidates_) {
    const bool races = (candidate.bytes & ~contested(candidate)) == 0;
    if (!races && !block_disturbed_) log_.report(candidate.finding);
  }
  candidates_.clear();
  ++interval_;
}

// Whether a thread has written some of these bytes.
bool UninitializedReads::reads_what_is_written(const Output& output, const Access& access) {
  const std::uint64_t end = access.offset + access.size;
  for (std::uint64_t at = access.offset; at < end && at / 4 < output.words(); at = (at / 4 + 1) * 4) {
    if ((output.written()[at / 4] & bytes_of_word(at, end)) != 0) return true;
  }
  return false;
}

// An element is reported if every thread that accessed it read it first, or if nobody wrote it. Then the first access read an
// unwritten value, whichever thread came first. (A thread that writes without reading may be ordered first, or it races with the
// others.)
void UninitializedReads::output_access(Output& output, const Access& access) {
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

bool UninitializedReads::OutputWord::has_read(std::uint64_t thread) const {
  return by_all || std::ranges::find(readers, thread) != readers.end();
}

void UninitializedReads::OutputWord::add(std::uint64_t thread) {
  readers.push_back(thread);
  if (readers.size() < max_readers) return;
  by_all = true;
  readers = {};
}

void UninitializedReads::on_launch_end() {
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

}  // namespace tilelab::simt
