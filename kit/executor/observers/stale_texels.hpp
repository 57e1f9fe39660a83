// Finds fetches of texels that the same launch has written: CUDA does not say what such a fetch brings before the next launch. Two threads
// that nothing orders race besides; RaceDetector finds that.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/memory/texture_object.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

class StaleTexels final : public Observer {
 public:
  StaleTexels(FindingLog& log, std::span<const TextureObject> objects) : log_(log) {
    for (const TextureObject& object : objects) {
      if (object.region != nullptr) written_[object.region];
    }
  }
  bool watches(Space space) const override { return space == Space::global; }
  bool needs_every_read() const override { return false; }
  void on_access(const Access& access) override {
    const bool reads = access.kind == AccessKind::read;
    if (reads && access.unit == Unit::none) return;
    const auto known = written_.find(access.region);
    if (known == written_.end() || (reads && known->second.empty())) return;
    std::vector<Written>& words = known->second;
    if (words.empty()) words.resize((access.region->bytes + 3) / 4);
    const std::uint64_t end = access.offset + access.size;
    for (std::uint64_t at = access.offset; at < end && at / 4 < words.size(); at = (at / 4 + 1) * 4) {
      const unsigned bytes = bytes_of_word(at, end);
      Written& written = words[at / 4];
      if (reads && (written.bytes & bytes) != 0) return report(access, written);
      if (reads) continue;
      written = {access.by.block, access.by.thread, number_of(access) & 0xFFFFFFFu, (written.bytes | bytes) & 0xFu};
    }
  }

 private:
  struct Written {
    std::uint64_t block = 0;
    std::uint32_t thread = 0;
    std::uint32_t statement : 28 = 0;  // place in statements_, from 1; 0: nobody has written it
    std::uint32_t bytes : 4 = 0;       // which of them
  };

  std::uint32_t number_of(const Access& access) {
    const auto known = std::find_if(statements_.begin(), statements_.end(), [&](const RawSite& one) { return one.pc == access.pc; });
    const auto place = static_cast<std::uint32_t>(known - statements_.begin());
    if (known == statements_.end()) statements_.push_back({access.pc, access_name(access.kind), access.by});
    return place + 1;
  }
  void report(const Access& access, const Written& written) {
    RawFinding finding = finding_about(Verdict::race, access);
    finding.note = access.unit == Unit::surface;  // CUDA's guide says it of surfaces too, but programs rely on it
    finding.what =
        access.unit == Unit::texture
            ? "fetches {element} through a texture after this launch has written it: what the fetch brings is undefined until the "
              "next launch"
            : "reads {element} through a surface after this launch has written it: CUDA guarantees the new value only to the next "
              "launch";
    finding.other = statements_[written.statement - 1];
    finding.other.by = {written.block, written.thread};
    log_.report(finding);
  }

  FindingLog& log_;
  std::map<const Region*, std::vector<Written>> written_;  // of the regions that a texture or a surface shows; empty: nothing yet
  std::vector<RawSite> statements_;                        // that write
};

}  // namespace tilelab::simt
