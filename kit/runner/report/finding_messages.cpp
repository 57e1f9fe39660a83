// Words each finding: its place in the source, its element's name and its sentence. Then which findings are one to a student, which of
// them count, and in what order they are told.
#include "runner/report/launch_report.hpp"

#include <algorithm>
#include <iomanip>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <tuple>

#include "executor/memory/device_heap.hpp"

namespace tilelab {
namespace {

using protocol::Finding;
using protocol::Site;
using simt::RawFinding;
using simt::RawSite;
using simt::Region;
using simt::Space;

constexpr std::size_t max_findings = 64;
constexpr std::int64_t far_away = 1 << 28;  // elements

// The index of a block or a thread from its number. A launch function may answer any extent.
simt::Index3 index_in(std::uint64_t linear, const simt::Index3& extent) {
  return simt::index_of(linear, {std::max(1u, extent.x), std::max(1u, extent.y), 1});
}

// Knows one finding at a time.
class MessageWriter {
 public:
  MessageWriter(const Image& image, const LaunchGeometry& geometry) : image_(image), geometry_(geometry) {}

  Finding describe(const RawFinding& raw) const {
    Finding finding;
    finding.kind = name(raw.kind);
    finding.severity = raw.note ? "note" : "error";
    finding.site = site(raw.site);
    if (raw.other.pc != 0) finding.other = site(raw.other);
    if (const auto conditions = lines_of(raw); conditions.size() == 1) {
      finding.other = site({conditions.begin()->second, raw.other.access, raw.other.by});
    }
    if (raw.region != nullptr) {
      finding.array = raw.region->name;
      finding.element = raw.about == RawFinding::About::surface ? raw.region->name : element_name(*raw.region, raw.offset);
      if (raw.region->heap != nullptr) name_allocation(finding, raw);
    } else if (raw.bound != 0 && raw.kind == Verdict::out_of_bounds) {
      name_subscript(finding, raw);
    } else if (raw.kind == Verdict::out_of_bounds && raw.about == RawFinding::About::anything && raw.index == 0) {
      finding.address = static_cast<std::uint64_t>(raw.offset);
    }
    finding.count = raw.count;
    finding.message = sentence(raw, finding) + in_which_grid(raw);
    if (raw.on_host) finding.site.block = finding.site.thread = std::nullopt;
    return finding;
  }

 private:
  // --- Places and names.

  Site site(const RawSite& raw) const {
    const CodePlace place = image_.place_of(raw.pc);
    Site where;
    where.line = raw.line != 0 && image_.line_at(raw.pc) != nullptr ? raw.line : place.line;
    where.file = place.file;
    where.function = place.function;
    where.access = raw.access;
    const simt::GridEvent* child = child_of(raw.by);
    where.block = child == nullptr ? index_in(raw.by.block, geometry_.grid) : index_in(raw.by.block - child->first_block, child->grid);
    where.thread = thread_of(raw.by);
    return where;
  }

  // The grid of a thread, if a kernel launched it.
  const simt::GridEvent* child_of(const simt::ThreadRef& thread) const {
    const auto after = std::ranges::upper_bound(geometry_.children, thread.block, {}, &simt::GridEvent::first_block);
    return after == geometry_.children.begin() ? nullptr : &*std::prev(after);
  }

  simt::Index3 thread_of(const simt::ThreadRef& thread) const {
    const simt::GridEvent* child = child_of(thread);
    return index_in(thread.thread, child == nullptr ? geometry_.block : child->block);
  }

  std::string in_which_grid(const RawFinding& raw) const {
    const simt::GridEvent *one = child_of(raw.site.by), *other = raw.other.pc == 0 ? one : child_of(raw.other.by);
    if (one == nullptr && other == nullptr) return {};
    const auto launched = [this](const simt::GridEvent& child) { return line_of(child.launched.pc); };
    if (one == other) return " Its grid was launched in " + launched(*one) + ".";
    if (one == nullptr || other == nullptr) return " The launch is in " + launched(one == nullptr ? *other : *one) + ".";
    const bool at_once = launched(*one) == launched(*other);
    return " The two grids were launched in " + launched(*one) + (at_once ? "" : " and in " + launched(*other)) +
           ", and nothing orders them.";
  }

  // What a kernel allocated has no name but the line that did it.
  void name_allocation(Finding& finding, const RawFinding& raw) const {
    const auto* allocation = raw.region->heap->near(raw.region->base + static_cast<std::uintptr_t>(raw.offset));
    if (allocation == nullptr) return;
    const auto at = static_cast<std::int64_t>(raw.region->base - allocation->base) + raw.offset;
    const bool is_earlier = allocation->allocated_by == simt::DeviceHeap::elsewhere;
    finding.array = "the " + bytes(allocation->bytes) + " allocated " +
                    (is_earlier ? "by an earlier launch" : "in " + line_of(allocation->allocated_by));
    finding.element = "byte " + std::to_string(at) + " of " + finding.array;
  }

  std::string line_of(std::uintptr_t pc) const { return "line " + std::to_string(image_.place_of(pc).line); }

  // Which of the arrays in this line has a dimension of size `bound`, where columns do not tell it.
  std::string subscripted_array(int line, std::uint64_t bound) const {
    std::set<std::string> names, fitting;
    for (const Subscripted& one : image_.subscripts)
      if (one.line == line) names.insert(one.array);
    for (const Region& array : image_.shared) {
      const bool has = std::find(array.dimensions.begin(), array.dimensions.end(), bound) != array.dimensions.end();
      if (has && names.contains(array.name)) fitting.insert(array.name);
    }
    if (fitting.size() == 1) return *fitting.begin();
    return fitting.empty() && names.size() == 1 ? *names.begin() : std::string();
  }

  // Writes "As[…][16]": the compiler reports where a bad subscript stands, but not the array's name. GCC gives the column of the
  // subscript's closing bracket, Clang the one where the array's name begins.
  void name_subscript(Finding& finding, const RawFinding& raw) const {
    for (const Subscripted& one : image_.subscripts) {
      const std::size_t count = one.closings.size();
      auto position = static_cast<std::size_t>(std::ranges::find(one.closings, raw.column) - one.closings.begin());
      if (position == count && one.column == raw.column && count > raw.inner) position = count - raw.inner - 1;
      if (one.line != finding.site.line || position == count) continue;
      std::size_t dimensions = position + 1;
      for (const Region& array : image_.shared) {
        if (array.name == one.array) dimensions = std::max(dimensions, array.dimensions.size());
      }
      finding.array = finding.element = one.array;
      for (std::size_t d = 0; d < dimensions; ++d) finding.element += d == position ? "[" + std::to_string(raw.index) + "]" : "[…]";
      return;
    }
    finding.array = subscripted_array(finding.site.line, raw.bound);
  }

  // The source lines of the conditions, each with one of them.
  std::map<int, std::uintptr_t> lines_of(const RawFinding& raw) const {
    std::map<int, std::uintptr_t> lines;
    for (const std::uintptr_t pc : raw.conditions) {
      const CodeLine* line = pc == 0 ? nullptr : image_.line_at(pc);
      if (line != nullptr && line->line > 0) lines.emplace(line->line, pc);
    }
    return lines;
  }

  // --- Words that all sentences use.

  static std::string bytes(std::size_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

  static std::string at(const Site& site) { return "line " + std::to_string(site.line); }

  static const char* verb(const Site& site) {
    return site.access == "read" ? "reads" : site.access == "write" ? "writes" : "atomically updates";
  }

  // --- What one thread did.

  std::string leak(const RawFinding& raw, const Finding& finding) const {
    const std::string whose =
        raw.bound == 1 ? "thread " + in_brackets(*finding.site.thread) + " of block " + in_brackets(*finding.site.block) + " allocates"
                       : std::to_string(raw.bound) + " threads allocate";
    return "Of the memory that " + whose + " in " + at(finding.site) + ", " + bytes(static_cast<std::size_t>(raw.index)) +
           (raw.index == 1 ? " is" : " are") + " not freed when the kernel ends" +
           (raw.about == RawFinding::About::lost
                ? ", and no pointer to that is left: it can never be freed, and every launch takes more of the heap."
                : ". A pointer to that is left in global memory, so that a later kernel can free it.");
  }

  std::string outside_allocation(const RawFinding& raw, const Finding& finding, const std::string& done) const {
    const auto* allocation = raw.region->heap->near(raw.region->base + static_cast<std::uintptr_t>(raw.offset));
    if (allocation == nullptr) return done + " memory that is not allocated.";
    if (raw.region->freed && allocation->freed_by == simt::DeviceHeap::elsewhere)
      return done + " " + finding.element + ", which an earlier launch has freed.";
    if (raw.region->freed) return done + " " + finding.element + ", which was freed in " + line_of(allocation->freed_by) + ".";
    const bool before = raw.region->base + static_cast<std::uintptr_t>(raw.offset) < allocation->base;
    return done + " " + finding.element + ", " + (before ? "before the start." : "past the end.");
  }

  // Whoever reported the finding worded what the thread did, but for those about two threads or about an array's shape.
  std::string sentence(const RawFinding& raw, const Finding& finding) const {
    const std::string by = raw.on_host ? "The launch function"
                                       : "Thread " + in_brackets(*finding.site.thread) + " of block " + in_brackets(*finding.site.block);
    if (*raw.what != '\0') return by + " " + filled_in(raw.what, finding) + ".";
    if (raw.about == RawFinding::About::lost || raw.about == RawFinding::About::kept) return leak(raw, finding);
    if (raw.about == RawFinding::About::lane) return by + " " + undefined_lane(raw.lane) + ".";
    if (raw.about == RawFinding::About::overlap) return by + overlap(raw, finding);
    if (raw.about == RawFinding::About::surface) return by + " " + beside_surface(raw, finding) + ".";
    switch (raw.kind) {
      case Verdict::race: return race(raw, finding) + warps_apart(raw, finding);
      case Verdict::out_of_bounds: return out_of_bounds(raw, finding, by);
      case Verdict::misaligned:
        return by + " uses " + (finding.element.empty() ? "an address" : "the address of " + finding.element) +
               " here. It is not a multiple of " + std::to_string(raw.index) + " bytes, but the type of this access needs such an address.";
      case Verdict::barrier_divergence: return barrier(raw, finding);
      default: return by + ": " + finding.kind + ".";
    }
  }

  static std::string overlap(const RawFinding& raw, const Finding& finding) {
    const auto& [other, offset, pc] = raw.missed[0];
    const auto type = [](const Region& one) { return one.element.substr(0, one.element.find(" const")); };
    return " reads " + finding.element + " as " + type(*raw.region) + " in " + at(finding.site) + ", where " + at(*finding.other) +
           " has written " + element_name(*other, offset) + " as " + type(*other) +
           ": all extern __shared__ arrays begin at the same address.";
  }

  static std::string beside_surface(const RawFinding& raw, const Finding& finding) {
    using Axis = simt::SurfaceEvent::Axis;
    const simt::SurfaceEvent& event = raw.surface;
    const std::string at = std::to_string(event.at), last = std::to_string(event.extent - 1);
    const std::string does = std::string(raw.site.access) == "read" ? "reads " : "writes ";
    const std::string moved = bytes(event.bytes);
    if (event.misaligned) {
      return does + moved + " at x = " + at + " of the surface " + finding.array + ". x counts bytes here, so it must be a multiple of " +
             std::to_string(event.bytes) + ": the column times the size of an element";
    }
    const std::string place = does + finding.array + " at ";
    switch (event.axis) {
      case Axis::x:
        return place + "x = " + at + ", but a row of this surface has only the bytes 0 to " + last +
               ". x counts bytes: the column times the size of an element";
      case Axis::y: return place + "y = " + at + ", but this surface has only the rows 0 to " + last;
      case Axis::z: return place + "z = " + at + ", but this surface has only the slices 0 to " + last;
      default: return place + "layer " + at + ", but this surface has only the layers 0 to " + last;
    }
  }

  static std::string filled_in(std::string what, const Finding& finding) {
    const std::string other = finding.other ? at(*finding.other) : std::string();
    for (const auto& [place, text] :
         {std::pair("{element}", &finding.element), std::pair("{array}", &finding.array), std::pair("{other}", &other)}) {
      if (const auto at = what.find(place); at != std::string::npos) what.replace(at, std::string_view(place).size(), *text);
    }
    return what;
  }

  static std::string undefined_lane(const simt::LaneEvent& lane) {
    using Why = simt::LaneEvent::Why;
    std::ostringstream mask;
    mask << "0x" << std::hex << std::setfill('0') << std::setw(8) << lane.mask;
    const std::string own = std::to_string(lane.by.lane()), source = std::to_string(lane.source);
    if (lane.why == Why::mask_without_caller) {
      const std::string called = *lane.function == '\0' ? "a shuffle function" : lane.function;
      return "is lane " + own + " of its warp and calls " + called + " with the mask " + mask.str() + ", which does not contain lane " +
             own + ": what happens then is undefined";
    }
    const std::string why = lane.why == Why::source_not_in_mask ? "is not in the mask " + mask.str()
                            : lane.why == Why::source_has_left  ? "has left the kernel"
                                                                : "does not exist, because the block has no such thread";
    return "is lane " + own + " of its warp and takes the value of lane " + source + ", which " + why + ": the value is undefined";
  }

  std::string out_of_bounds(const RawFinding& raw, const Finding& finding, const std::string& by) const {
    const std::string verb = finding.site.access == "read" ? " reads" : finding.site.access == "write" ? " writes" : " accesses";
    if (raw.region == nullptr && raw.bound != 0) {
      const std::string whose = finding.array.empty() ? "an array" : finding.array;
      return by + " uses subscript " + std::to_string(raw.index) + " of " + whose + ", but this dimension has only the subscripts 0 to " +
             std::to_string(raw.bound - 1) + ".";
    }
    if (raw.region == nullptr) {
      if (static_cast<std::uint64_t>(raw.offset) < 4096) return by + " uses a null pointer.";
      if (std::string_view(raw.site.access) == "write")
        return by + " writes to memory that belongs to no buffer, array or variable of the kernel." + far_index(raw, finding);
      return by + " uses an address that belongs to no buffer, array or variable of the kernel." + far_index(raw, finding);
    }
    if (raw.region->heap != nullptr) return outside_allocation(raw, finding, by + verb);
    const std::string where = raw.offset < 0 ? ", before the start" : ", past the end";
    const std::size_t elements = (raw.region->bytes - raw.region->named_from) / std::max<std::size_t>(1, raw.region->element_bytes);
    return by + verb + " " + finding.element + where + ": " + raw.region->name + " has " + std::to_string(elements) +
           (elements == 1 ? " element" : " elements") + shape(*raw.region) + paid_for(*raw.region) + ".";
  }

  // Which element of the only buffer of this line it would be. The line may use another pointer too, so only an index is told that an
  // overflow makes likely.
  std::string far_index(const RawFinding& raw, const Finding& finding) const {
    if (geometry_.memory == nullptr) return {};
    std::set<std::string> names;
    for (const Subscripted& one : image_.subscripts)
      if (one.line == finding.site.line) names.insert(one.array);
    const Region* from = nullptr;
    for (const Region& one : geometry_.memory->buffers()) {
      if (one.element_bytes == 0 || !names.contains(one.name)) continue;
      if (from != nullptr) return {};
      from = &one;
    }
    if (from == nullptr) return {};
    const auto bytes = static_cast<std::int64_t>(static_cast<std::uint64_t>(raw.offset) - from->base - from->named_from);
    const auto width = static_cast<std::int64_t>(from->element_bytes);
    if (bytes % width != 0 || bytes / width < INT32_MIN || bytes / width > UINT32_MAX) return {};
    const std::int64_t index = bytes / width;
    if (std::abs(index) < far_away) return {};
    const std::string text = far_index_begins + from->name + " is " + std::to_string(index);
    if (index < 0) return text + ": a value that does not fit into an int becomes negative.";
    return text + ", and " + from->name + " has " + std::to_string(from->bytes / from->element_bytes) +
           " elements; a value that does not fit into an int becomes negative.";
  }

  static std::string paid_for(const Region& region) {
    if (!region.dynamic) return {};
    if (region.bytes == 0) return ", because the launch function asks for no dynamic shared memory (shared_bytes)";
    return ", because the launch function asks for " + std::to_string(region.bytes) + " bytes of dynamic shared memory (shared_bytes)";
  }

  static std::string shape(const Region& region) {
    if (region.dimensions.size() < 2) return {};
    std::string text;
    for (const std::size_t extent : region.dimensions) text += (text.empty() ? " (" : " x ") + std::to_string(extent);
    return text + ")";
  }

  // --- What two threads did, or all threads of a block.

  static std::string divergence(const RawFinding& raw, const Finding& finding) {
    if (raw.bound != 0) {
      return "Thread " + in_brackets(*finding.site.thread) + " waits in a warp operation at " + at(finding.site) + " for thread " +
             in_brackets(*finding.other->thread) + ", which waits at " + at(*finding.other) +
             ": all lanes named in the mask must reach the same operation.";
    }
    return "Thread " + in_brackets(*finding.site.thread) + " waits at the barrier in " + at(finding.site) + " while thread " +
           in_brackets(*finding.other->thread) + " of the same block waits at the barrier in " + at(*finding.other) +
           ": every thread of a block must reach the same __syncthreads().";
  }

  std::string barrier(const RawFinding& raw, const Finding& finding) const {
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

  std::string missed(const RawFinding& raw, const std::string& thread) const {
    std::string text;
    for (const simt::MissedElement& one : raw.missed) {
      const CodeLine* line = one.region == nullptr ? nullptr : image_.line_at(one.pc);
      if (line == nullptr) continue;
      text += (text.empty() ? " Thread " + thread + " would have written " : " and ") + element_name(*one.region, one.offset) +
              " in line " + std::to_string(line->line);
    }
    return text.empty() ? text : text + ".";
  }

  // Which condition led past the barrier, if that is certain.
  std::string because(const RawFinding& raw) const {
    const auto lines = lines_of(raw);
    if (lines.empty()) return {};
    if (lines.size() == 1) return ": the condition in line " + std::to_string(lines.begin()->first) + " led past it";
    std::string text = ": one of the conditions in lines ";
    for (auto line = lines.begin(); line != lines.end(); ++line) {
      text += (line == lines.begin() ? "" : std::next(line) == lines.end() ? " and " : ", ") + std::to_string(line->first);
    }
    return text + " led past it";
  }

  std::string which_comes_first(const Finding& finding) const {
    const Site &one = finding.site, &other = *finding.other;
    const int barrier =
        one.file == other.file && one.function == other.function && one.line > 0 && other.line > 0 ? barrier_between(one, other) : 0;
    if (barrier == 0) return ": either may come first.";
    const std::string ahead = std::to_string(std::min(one.line, other.line)), behind = std::to_string(std::max(one.line, other.line));
    return ". The __syncthreads() in line " + std::to_string(barrier) + " does not separate them: one thread can be in line " + ahead +
           " again, in the next pass of the loop, while the other is still in line " + behind + ".";
  }

  // The first line strictly between the two lines that calls a barrier; 0 if there is none. If there is one, the race goes from
  // one iteration of a loop to the next.
  int barrier_between(const Site& one, const Site& other) const {
    const auto between = std::ranges::upper_bound(image_.block_syncs, std::min(one.line, other.line));
    return between != image_.block_syncs.end() && *between < std::max(one.line, other.line) ? *between : 0;
  }

  static std::string race_between_blocks(const Finding& finding, bool narrow) {
    const auto who = [](const Site& site) { return "hread " + in_brackets(*site.thread) + " of block " + in_brackets(*site.block); };
    const std::string both = "T" + who(finding.site) + " " + verb(finding.site) + " " + finding.element + " in " + at(finding.site) +
                             " and t" + who(*finding.other) + " " + verb(*finding.other) + " it in " + at(*finding.other);
    if (narrow) return both + ". One of these is atomic for the threads of its own block only.";
    return both + ". A __syncthreads() orders the threads of one block only: either may come first.";
  }

  std::string race(const RawFinding& raw, const Finding& finding) const {
    if (raw.site.by.block != raw.other.by.block) return race_between_blocks(finding, raw.about == RawFinding::About::scope);
    const std::string first = in_brackets(*finding.site.thread), second = in_brackets(*finding.other->thread);
    if (finding.site.line == finding.other->line && finding.site.access == finding.other->access) {
      return "Threads " + first + " and " + second + " both write " + finding.element + " in " + at(finding.site) +
             " between the same two barriers: the element keeps the value that is written last.";
    }
    const bool one_warp =
        raw.lowest_warp == raw.highest_warp && std::uint64_t{geometry_.block.x} * geometry_.block.y * geometry_.block.z > 32;
    if (one_warp && raw.about == RawFinding::About::anything)
      return "Thread " + first + " " + verb(finding.site) + " " + finding.element + " in " + at(finding.site) + " and thread " + second +
             " of the same warp " + verb(*finding.other) + " it in " + at(*finding.other) +
             ", with no __syncwarp() between the two: either may come first.";
    return "Thread " + first + " " + verb(finding.site) + " " + finding.element + " in " + at(finding.site) + " and thread " + second +
           " " + verb(*finding.other) + " it in " + at(*finding.other) + ", with no __syncthreads() " +
           (raw.about == RawFinding::About::phases ? "and no wait for a barrier's phase " : "") + "between the two" +
           which_comes_first(finding);
  }

  // Why a __syncwarp() near the two accesses does not order them.
  std::string warps_apart(const RawFinding& raw, const Finding& finding) const {
    const Site &one = finding.site, &other = *finding.other;
    if (raw.site.by.block != raw.other.by.block || raw.site.by.warp() == raw.other.by.warp() || one.file != other.file) return {};
    const int line = nearest_warp_sync(raw.site.pc, std::min(one.line, other.line), std::max(one.line, other.line));
    if (line == 0) return {};
    return " The __syncwarp() in line " + std::to_string(line) + " orders the threads of one warp only, and these two are in warps " +
           std::to_string(raw.site.by.warp()) + " and " + std::to_string(raw.other.by.warp()) + " of the block.";
  }

  // The line of the function at `pc` that calls __syncwarp() and is nearest to the lines from `first` to `last`; 0 if there is none.
  int nearest_warp_sync(std::uintptr_t pc, int first, int last) const {
    const CodeFunction* function = image_.function_at(pc);
    const CodeLine* place = image_.line_at(pc);
    if (function == nullptr || place == nullptr) return 0;
    int nearest = 0, distance = 0;
    for (const CodeLine& code : image_.lines) {
      if (code.address < function->first || code.address >= function->end || code.file != place->file) continue;
      if (!std::ranges::binary_search(image_.warp_syncs, code.line)) continue;
      const int away = code.line < first ? first - code.line : std::max(0, code.line - last);
      if (nearest == 0 || away < distance) nearest = code.line, distance = away;
    }
    return nearest;
  }

  const Image& image_;
  const LaunchGeometry& geometry_;
};

auto rank(const Finding& f) {
  const simt::Index3 none;
  return std::tuple(f.site.block.value_or(none), f.site.thread.value_or(none), f.other ? *f.other->thread : none,
                    f.other ? *f.other->block : none, f.element);
}

// An index past the end of one buffer can reach elements of the next buffer that other threads use. So if a launch goes out of
// bounds in global memory, races there may only be a consequence, and they become notes.
void subordinate_to_bounds(std::vector<Finding>& findings, const std::vector<RawFinding>& raw) {
  const auto is_global = [](const RawFinding& one) {
    return one.region != nullptr && one.region->space != Space::shared && !one.region->in_frame;
  };
  const bool outside =
      std::any_of(raw.begin(), raw.end(), [&](const RawFinding& one) { return one.kind == Verdict::out_of_bounds && is_global(one); });
  for (std::size_t i = 0; outside && i < raw.size(); ++i) {
    if (raw[i].kind == Verdict::race && is_global(raw[i])) findings[i].severity = "note";
  }
}

}  // namespace

std::vector<Finding> finding_messages(const std::vector<RawFinding>& raw, const Image& image, const LaunchGeometry& geometry) {
  const MessageWriter writer(image, geometry);
  // To a student, several instructions of one line are one statement.
  std::map<std::tuple<std::string, std::string, int, std::string, int, std::string, std::string, std::string>, Finding> merged;
  std::map<decltype(merged)::key_type, bool> stores_the_same;
  std::vector<Finding> described;
  for (const RawFinding& one : raw) described.push_back(writer.describe(one));
  subordinate_to_bounds(described, raw);
  for (std::size_t i = 0; i < described.size(); ++i) {
    Finding& finding = described[i];
    const auto key = std::tuple(finding.severity, finding.kind, finding.site.line, finding.array, finding.other ? finding.other->line : 0,
                                finding.site.access, finding.other ? finding.other->access : "", finding.site.file);
    bool& same = stores_the_same.try_emplace(key, true).first->second;
    same = same && raw[i].same_value;
    const auto [kept, inserted] = merged.try_emplace(key, finding);
    if (inserted) continue;
    const std::uint64_t count = kept->second.count + finding.count;
    if (rank(finding) < rank(kept->second)) kept->second = std::move(finding);
    kept->second.count = count;
  }
  std::vector<Finding> findings;
  for (auto& [key, finding] : merged) {
    if (stores_the_same[key]) finding.message += " All of these writes store the same value.";
    findings.push_back(std::move(finding));
  }
  if (findings.size() > max_findings) findings.resize(max_findings);
  return findings;
}

}  // namespace tilelab
