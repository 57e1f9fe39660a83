// Keeps which bytes of a whole program's memory and of its variables the launch touches, and in which lines. It finds nothing: the
// broker compares launches in different streams. Added only where such launches may overlap.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <unordered_map>

#include "executor/event.hpp"
#include "executor/memory/byte_marks.hpp"
#include "executor/memory/region.hpp"
#include "executor/observers/word_use.hpp"

namespace tilelab::simt {

class TouchedBytes final : public Observer {
 public:
  using LineOf = std::function<int(std::uintptr_t pc)>;  // 0: unknown
  explicit TouchedBytes(LineOf line_of) : line_of_(std::move(line_of)) {}
  bool watches(Space space) const override { return space != Space::shared; }
  bool needs_every_read() const override { return false; }

  void on_access(const Access& access) override {
    WordTouch* const words = access.region->marks != nullptr ? access.region->marks->touched : nullptr;
    if (words == nullptr) return;
    if (access.space == Space::module) note_range(*access.region->marks, access);  // nobody else does
    const std::uint16_t line = line_at(access.pc);
    const bool is_atomic = (access.kind == AccessKind::atomic || access.is_strong) && !access.block_scope;
    const unsigned kind = is_atomic                          ? WordTouch::atomic
                          : access.kind == AccessKind::read  ? WordTouch::read
                          : access.kind == AccessKind::write ? WordTouch::written
                                                             : WordTouch::read | WordTouch::written;
    const std::uint64_t end = access.offset + access.size;
    for (std::uint64_t at = access.offset; at < end; at = (at / 4 + 1) * 4) {
      WordTouch& word = words[at / 4];
      word.bytes = static_cast<std::uint16_t>(word.bytes | bytes_of_word(at, end) * kind);
      (kind == WordTouch::read ? word.reader : word.writer) = line;
    }
  }

 private:
  static void note_range(ByteMarks& marks, const Access& access) {
    if (access.kind != AccessKind::write) marks.read.add(access.offset, access.size);
    if (access.kind != AccessKind::read) marks.written.add(access.offset, access.size);
  }
  std::uint16_t line_at(std::uintptr_t pc) {
    if (pc == last_pc_) return last_line_;
    const auto [place, is_new] = lines_.try_emplace(pc);
    if (is_new) place->second = static_cast<std::uint16_t>(std::clamp(line_of_(pc), 0, 0xFFFF));
    last_pc_ = pc;
    return last_line_ = place->second;
  }

  LineOf line_of_;
  std::unordered_map<std::uintptr_t, std::uint16_t> lines_;
  std::uintptr_t last_pc_ = 0;
  std::uint16_t last_line_ = 0;
};

}  // namespace tilelab::simt
