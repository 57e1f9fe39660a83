// Written-masks per word of shared memory, written-flags per element of output buffers.
#include "simt/observers/uninitialized_reads.hpp"

#include <algorithm>

#include "simt/region.hpp"

namespace tilelab::simt {
namespace {

std::uint64_t global_thread(const ThreadRef& by) { return by.block * 1024 + by.thread; }

}  // namespace

UninitializedReads::UninitializedReads(FindingLog& log, std::vector<const Region*> outputs) : log_(log) {
  for (const Region* region : outputs) outputs_.push_back({region, std::vector<std::uint8_t>((region->bytes + 3) / 4), {}});
}

void UninitializedReads::on_launch_begin(const LaunchEvent& launch) { words_.resize((launch.shared_span + 3) / 4); }

void UninitializedReads::on_block_begin(std::uint64_t) {
  ++block_;
  ++interval_;
  block_disturbed_ = false;
}

RawFinding UninitializedReads::finding_of(const Access& access) {
  RawFinding finding;
  finding.kind = FindingKind::uninitialized_read;
  finding.site = {access.pc, access_name(access.kind), access.by};
  finding.region = access.region;
  finding.offset = static_cast<std::int64_t>(access.offset) - static_cast<std::int64_t>(access.region->span_offset);
  finding.size = access.size;
  return finding;
}

void UninitializedReads::on_access(const Access& access) {
  if (access.space == Space::shared) return shared_access(access);
  for (Output& output : outputs_) {
    if (output.region == access.region) return output_access(output, access);
  }
}

void UninitializedReads::shared_access(const Access& access) {
  const std::uint64_t end = access.offset + access.size;
  for (std::uint64_t at = access.offset; at < end;) {
    const std::uint64_t index = at / 4, word_end = std::min(end, index * 4 + 4);
    const auto bytes = static_cast<std::uint8_t>(((1u << (word_end - at)) - 1u) << (at % 4));
    at = word_end;
    if (index >= words_.size()) return;
    Word& word = words_[index];
    if (word.block != block_) word = Word{.interval = interval_, .block = block_};
    if (access.kind != AccessKind::write) {
      const auto missing = static_cast<std::uint8_t>(bytes & ~word.before & ~word.now);
      if (missing != 0 && !block_disturbed_ && candidates_.size() < max_candidates)
        candidates_.push_back({index, missing, finding_of(access)});
    }
    if (access.kind != AccessKind::read) note_write(word, bytes, access);
  }
}

void UninitializedReads::note_write(Word& word, std::uint8_t bytes, const Access& access) const {
  if (word.interval != interval_) {
    word.before = static_cast<std::uint8_t>(word.before | word.now);
    word.now = 0;
    word.interval = interval_;
    word.several_writers = false;
  }
  const auto writer = static_cast<std::uint16_t>(access.by.thread);
  word.several_writers = word.several_writers || (word.now != 0 && word.writer != writer);
  word.writer = writer;
  word.now = static_cast<std::uint8_t>(word.now | bytes);
}

void UninitializedReads::close_interval() {
  for (const Candidate& candidate : candidates_) {
    const Word& word = words_[candidate.word];
    const bool written_now = word.interval == interval_ && (word.now & candidate.bytes) != 0;
    const bool by_another = written_now && (word.several_writers || word.writer != candidate.finding.site.by.thread);
    if (!by_another && !block_disturbed_) log_.report(candidate.finding);
  }
  candidates_.clear();
  ++interval_;
}

// Per element: reported when its first reader came before any writer and is its first writer, or nobody writes it.
// (A reader and a writer in different threads race instead.)
void UninitializedReads::output_access(Output& output, const Access& access) {
  const std::size_t first = access.offset / 4, last = (access.offset + access.size - 1) / 4;
  for (std::size_t element = first; element <= last && element < output.written.size(); ++element) {
    if (access.kind != AccessKind::write && output.written[element] == 0) {
      OutputWord& word = output.disputed[element];
      if (!word.read_first) {
        word.read_first = true;
        word.finding = finding_of(access);
      }
    }
    if (access.kind != AccessKind::read && output.written[element] == 0) {
      output.written[element] = 1;
      const auto disputed = output.disputed.find(element);
      if (disputed != output.disputed.end()) {
        disputed->second.written = true;
        disputed->second.writer = global_thread(access.by);
      }
    }
  }
}

void UninitializedReads::on_launch_end() {
  for (const Output& output : outputs_) {
    for (const auto& [element, word] : output.disputed) {
      if (!word.written || word.writer == global_thread(word.finding.site.by)) log_.report(word.finding);
    }
  }
}

}  // namespace tilelab::simt
