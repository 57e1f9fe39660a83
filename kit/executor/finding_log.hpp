// Collects what observers find: raw facts with return addresses, deduplicated at once. The runner turns them into files, lines
// and sentences, once, after the launch.
//
// Of equal findings it keeps the one with the smallest (block, thread, other thread, offset). So a finding does not depend on the
// order in which blocks and threads ran.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "executor/memory/region.hpp"
#include "executor/verdict.hpp"

namespace tilelab::simt {

struct RawSite {
  std::uintptr_t pc = 0;
  const char* access = "";  // "read", "write", "atomic", "barrier"; of a thread that missed a barrier "skip" or "return"
  ThreadRef by;
  int line = 0;  // if it is not that of `pc`
};

struct MissedElement {
  const Region* region = nullptr;
  std::int64_t offset = 0;
  std::uintptr_t pc = 0;  // of the statement
};

struct RawFinding {
  Verdict kind = Verdict::crash;
  bool note = false;     // worth a word, and no mistake
  bool on_host = false;  // of the launch function, which runs in no thread of the GPU
  RawSite site, other;   // other.pc == 0: none
  const Region* region = nullptr;
  std::int64_t offset = 0;   // bytes from the region's start; may be outside it
  std::uint32_t size = 0;    // bytes accessed
  std::int64_t index = 0;    // of a subscript outside its dimension; or the required alignment
  std::uint64_t bound = 0;   // size of that dimension
  std::uint32_t column = 0;  // column of that subscript, as in IndexEvent; 0: unknown
  std::uint32_t inner = 0;   // number of dimensions to the right of it
  // For the message. `bound` threads left the kernel while others wait at the barrier: they skipped it, or they had returned before
  // it. Or a warp function was called in a way whose result is undefined: `lane` says how. Or coordinates do
  // not fit a surface: `surface` says which. Or `index` bytes of `bound` threads were never freed: of lost ones, no pointer was left.
  // Of a race: the block has barriers whose phases order threads, and none orders these accesses; or an atomic access has a scope
  // that is too narrow. Of a read: another array that begins at the same address was written there, and missed[0] says which element.
  enum class About : std::uint8_t {
    anything,
    skipped,
    returned,
    lane,
    surface,
    lost,
    kept,
    phases,
    scope,
    overlap
  } about = About::anything;
  std::uint32_t interval = 0;                  // of that barrier; the first is kept
  std::array<std::uintptr_t, 8> conditions{};  // branches, one of which led past the barrier; 0: no further one. All, or none
  LaneEvent lane;
  SurfaceEvent surface;
  // What a thread that returned before a barrier would have written; region null: unknown.
  std::array<MissedElement, 2> missed{};
  // What the thread did, for the message: "writes {element}, but {array} is an input". Empty: finding_messages.cpp words it.
  const char* what = "";
  std::uint64_t count = 1;
  // Of a race within a block: the warps of all threads that it is about, in all blocks.
  std::uint32_t lowest_warp = 0, highest_warp = ~0u;
  bool same_value = false;  // of a race: all of these are writes, and stored what is there already
};

inline const char* access_name(AccessKind kind) {
  switch (kind) {
    case AccessKind::read: return "read";
    case AccessKind::write: return "write";
    case AccessKind::atomic: return "atomic";
  }
  return "";
}

inline RawFinding finding_at(Verdict kind, const RawSite& site, const RawSite& other = {}) {
  RawFinding finding;
  finding.kind = kind;
  finding.site = site;
  finding.other = other;
  return finding;
}

// A finding about this access: who, where, and which bytes of its region.
inline RawFinding finding_about(Verdict kind, const Access& access, const char* what = "") {
  RawFinding finding = finding_at(kind, {access.pc, access_name(access.kind), access.by});
  finding.region = access.region;
  finding.offset = static_cast<std::int64_t>(access.offset);
  finding.size = access.size;
  finding.what = what;
  return finding;
}

// "(1,0,0)"
inline std::string in_brackets(const Index3& at) {
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

class FindingLog {
 public:
  void report(const RawFinding& reported) {
    RawFinding finding = reported;
    finding.on_host = on_host_;
    const Key key{finding.kind, finding.note, finding.site.pc, finding.other.pc, finding.region};
    const auto found = findings_.find(key);
    if (found == findings_.end()) {
      if (findings_.size() == max_distinct) {  // keeps the smallest keys: a key that stays was never dropped, so its count is complete
        const auto largest = std::prev(findings_.end());
        if (key > largest->first) return;
        findings_.erase(largest);
      }
      findings_.emplace(key, finding);
      return;
    }
    RawFinding& kept = found->second;
    const std::uint64_t count = kept.count + finding.count;
    const auto lowest = std::min(kept.lowest_warp, finding.lowest_warp), highest = std::max(kept.highest_warp, finding.highest_warp);
    const bool same_value = kept.same_value && finding.same_value;
    const auto rank = [](const RawFinding& f) {
      return std::tuple(f.site.by.block, f.interval, f.site.by.thread, f.other.by.thread, f.other.by.block, f.offset, f.index, f.bound,
                        f.size, std::string_view(f.site.access), std::string_view(f.other.access), std::string_view(f.what), f.about,
                        f.conditions, f.lane.mask, f.lane.source);
    };
    if (rank(finding) < rank(kept)) kept = finding;
    kept.count = count;
    kept.lowest_warp = lowest;
    kept.highest_warp = highest;
    kept.same_value = same_value;
  }
  // In a deterministic order.
  std::vector<RawFinding> deduplicated() const {
    std::vector<RawFinding> all;
    all.reserve(findings_.size());
    for (const auto& [key, finding] : findings_) all.push_back(finding);
    return all;
  }
  // For `what` of a finding. The text stays where it is.
  const char* keep(std::string sentence) { return sentences_.emplace_back(std::move(sentence)).c_str(); }
  // Whether what is reported from now on is of the launch function.
  void set_on_host(bool on_host) { on_host_ = on_host; }

 private:
  using Key = std::tuple<Verdict, bool, std::uintptr_t, std::uintptr_t, const Region*>;
  static constexpr std::size_t max_distinct = 512;
  std::map<Key, RawFinding> findings_;
  std::deque<std::string> sentences_;
  bool on_host_ = false;
};

}  // namespace tilelab::simt
