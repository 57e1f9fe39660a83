// Finds `extern __shared__` arrays of different types that are used as if each had memory of its own: all of them begin at the same
// address. Told is a word that is read as an element of another array than the one it was written as. Arrays of one type are not told: the
// second may be another name for the first.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "executor/event.hpp"
#include "executor/finding_log.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

class OverlappingArrays final : public Observer {
 public:
  // The dynamic array that the statement at `pc` names; null: none, or several. `writes`: the one that it stores into.
  using Named = std::function<const Region*(std::uintptr_t pc, bool writes)>;

  static bool may_find(std::span<const Region> shared) {
    const Region* first = nullptr;
    for (const Region& one : shared) {
      if (!one.dynamic) continue;
      if (first != nullptr && one.element != first->element) return true;
      if (first == nullptr) first = &one;
    }
    return false;
  }
  // `note`: it is no error.
  OverlappingArrays(FindingLog& log, Named named, bool note) : log_(log), named_(std::move(named)), note_(note) {}

  bool watches(Space space) const override { return space == Space::shared; }
  bool needs_every_read() const override { return false; }
  void on_access(const Access& access) override {
    if (access.region == nullptr || !access.region->dynamic) return;
    const bool writes = access.kind != AccessKind::read;
    const auto [known, is_new] = names_.try_emplace({access.pc, writes});
    if (is_new) known->second = named_(access.pc, writes);
    const Region* const array = known->second;
    const std::size_t first = access.offset / 4, end = (access.offset + access.size + 3) / 4;
    if (words_.size() < end) words_.resize(end);
    if (access.kind != AccessKind::write) {
      const Written& written = words_[first];
      const bool differs = array != nullptr && written.array != nullptr && written.by.block == access.by.block;
      if (differs && written.array->element != array->element) report(access, *array, written);
    }
    for (std::size_t word = first; writes && word < end; ++word) words_[word] = {array, access.pc, access.by};
  }

 private:
  struct Written {
    const Region* array = nullptr;  // null: nobody wrote, or it is not known as what
    std::uintptr_t pc = 0;
    ThreadRef by;
  };

  void report(const Access& access, const Region& array, const Written& written) {
    RawFinding finding = finding_about(Verdict::uninitialized_read, access);
    finding.note = note_;
    finding.region = &array;
    finding.offset = static_cast<std::int64_t>(access.address - array.base);
    finding.other = {written.pc, access_name(AccessKind::write), written.by};
    finding.about = RawFinding::About::overlap;
    finding.missed[0] = {written.array, static_cast<std::int64_t>(access.address - written.array->base), written.pc};
    log_.report(finding);
  }

  FindingLog& log_;
  Named named_;
  bool note_;
  std::map<std::pair<std::uintptr_t, bool>, const Region*> names_;
  std::vector<Written> words_;  // of the block that runs, from the start of the span
};

}  // namespace tilelab::simt
