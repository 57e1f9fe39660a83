// Sentences about two threads that race, and about threads of a block that do not meet at a barrier.
#include "runner/report/message_writer.hpp"

#include <algorithm>
#include <iterator>

namespace tilelab {
namespace {

using protocol::Finding;
using protocol::Site;
using simt::RawFinding;

}  // namespace

std::string MessageWriter::divergence(const RawFinding& raw, const Finding& finding) {
  if (raw.bound != 0) {
    return "Thread " + in_brackets(*finding.site.thread) + " waits in a warp operation at " + at(finding.site) + " for thread " +
           in_brackets(*finding.other->thread) + ", which waits at " + at(*finding.other) +
           ": all lanes named in the mask must reach the same operation.";
  }
  return "Thread " + in_brackets(*finding.site.thread) + " waits at the barrier in " + at(finding.site) + " while thread " +
         in_brackets(*finding.other->thread) + " of the same block waits at the barrier in " + at(*finding.other) +
         ": every thread of a block must reach the same __syncthreads().";
}

std::string MessageWriter::barrier(const RawFinding& raw, const Finding& finding) const {
  if (raw.about == RawFinding::About::anything) return divergence(raw, finding);
  const std::string block = in_brackets(*finding.site.block);
  const std::string waiting = in_brackets(*finding.site.thread), absent = in_brackets(thread_of(raw.other.by));
  const std::uint64_t more = raw.bound - 1;
  const std::string and_more = more == 0 ? "" : " and " + std::to_string(more) + (more == 1 ? " more thread" : " more threads");
  if (raw.about == RawFinding::About::returned) {
    return "Thread " + absent + and_more + " of block " + block + " had returned" +
           (finding.other ? " in " + at(*finding.other) : std::string()) + " when the others reached the barrier in " + at(finding.site) +
           ": anything that " + (more == 0 ? "it" : "they") + " should have loaded for the block is missing." + missed(raw, absent);
  }
  return "Thread " + absent + and_more + " of block " + block + " skipped the barrier in " + at(finding.site) +
         " and went on to the end of the kernel, while thread " + waiting + " waits there" + because(raw) +
         ". Every thread of a block must reach the same __syncthreads().";
}

std::string MessageWriter::missed(const RawFinding& raw, const std::string& thread) const {
  std::string text;
  for (const simt::MissedElement& one : raw.missed) {
    const CodeLine* line = one.region == nullptr ? nullptr : image_.line_at(one.pc);
    if (line == nullptr) continue;
    text += (text.empty() ? " Thread " + thread + " would have written " : " and ") + element_name(*one.region, one.offset) + " in line " +
            std::to_string(line->line);
  }
  return text.empty() ? text : text + ".";
}

std::string MessageWriter::because(const RawFinding& raw) const {
  const auto lines = lines_of(raw);
  if (lines.empty()) return {};
  if (lines.size() == 1) return ": the condition in line " + std::to_string(lines.begin()->first) + " led past it";
  std::string text = ": one of the conditions in lines ";
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    text += (line == lines.begin() ? "" : std::next(line) == lines.end() ? " and " : ", ") + std::to_string(line->first);
  }
  return text + " led past it";
}

std::string MessageWriter::which_comes_first(const Finding& finding) const {
  const Site &one = finding.site, &other = *finding.other;
  const int barrier =
      one.file == other.file && one.function == other.function && one.line > 0 && other.line > 0 ? barrier_between(one, other) : 0;
  if (barrier == 0) return ": either may come first.";
  const std::string ahead = std::to_string(std::min(one.line, other.line)), behind = std::to_string(std::max(one.line, other.line));
  return ". The __syncthreads() in line " + std::to_string(barrier) + " does not separate them: one thread can be in line " + ahead +
         " again, in the next pass of the loop, while the other is still in line " + behind + ".";
}

int MessageWriter::barrier_between(const Site& one, const Site& other) const {
  const int last = std::max(one.line, other.line);
  for (int line = std::min(one.line, other.line) + 1; line < last && static_cast<std::size_t>(line) <= image_.source.size(); ++line) {
    if (calls(line, "__syncthreads")) return line;
  }
  return 0;
}

std::string MessageWriter::race_between_blocks(const Finding& finding, bool narrow) {
  const auto who = [](const Site& site) { return "hread " + in_brackets(*site.thread) + " of block " + in_brackets(*site.block); };
  const std::string both = "T" + who(finding.site) + " " + verb(finding.site) + " " + finding.element + " in " + at(finding.site) +
                           " and t" + who(*finding.other) + " " + verb(*finding.other) + " it in " + at(*finding.other);
  if (narrow) return both + ". One of these is atomic for the threads of its own block only.";
  return both + ". A __syncthreads() orders the threads of one block only: either may come first.";
}

std::string MessageWriter::race(const RawFinding& raw, const Finding& finding) const {
  if (raw.site.by.block != raw.other.by.block) return race_between_blocks(finding, raw.about == RawFinding::About::scope);
  const std::string first = in_brackets(*finding.site.thread), second = in_brackets(*finding.other->thread);
  if (finding.site.line == finding.other->line && finding.site.access == finding.other->access) {
    return "Threads " + first + " and " + second + " both write " + finding.element + " in " + at(finding.site) +
           " between the same two barriers: the element keeps the value that is written last.";
  }
  return "Thread " + first + " " + verb(finding.site) + " " + finding.element + " in " + at(finding.site) + " and thread " + second + " " +
         verb(*finding.other) + " it in " + at(*finding.other) + ", with no __syncthreads() " +
         (raw.about == RawFinding::About::phases ? "and no wait for a barrier's phase " : "") + "between the two" +
         which_comes_first(finding);
}

std::string MessageWriter::warps_apart(const RawFinding& raw, const Finding& finding) const {
  const Site &one = finding.site, &other = *finding.other;
  if (raw.site.by.block != raw.other.by.block || raw.site.by.warp() == raw.other.by.warp() || one.file != other.file) return {};
  const int line = nearest_warp_sync(raw.site.pc, std::min(one.line, other.line), std::max(one.line, other.line));
  if (line == 0) return {};
  return " The __syncwarp() in line " + std::to_string(line) + " orders the threads of one warp only, and these two are in warps " +
         std::to_string(raw.site.by.warp()) + " and " + std::to_string(raw.other.by.warp()) + " of the block.";
}

int MessageWriter::nearest_warp_sync(std::uintptr_t pc, int first, int last) const {
  const CodeFunction* function = image_.function_at(pc);
  const CodeLine* place = image_.line_at(pc);
  if (function == nullptr || place == nullptr) return 0;
  int nearest = 0, distance = 0;
  for (const CodeLine& code : image_.lines) {
    if (code.address < function->first || code.address >= function->end || code.file != place->file) continue;
    if (!calls(code.line, "__syncwarp")) continue;
    const int away = code.line < first ? first - code.line : std::max(0, code.line - last);
    if (nearest == 0 || away < distance) nearest = code.line, distance = away;
  }
  return nearest;
}

}  // namespace tilelab
