// Sentences about what one thread did, in the words of the lab.
#include "runner/report/message_writer.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>
#include <string_view>

#include "simt/memory/device_heap.hpp"

namespace tilelab {
namespace {

using protocol::Finding;
using simt::RawFinding;
using simt::Region;

}  // namespace

std::string MessageWriter::sentence(const RawFinding& raw, const Finding& finding) const {
  const std::string by = "Thread " + in_brackets(*finding.site.thread) + " of block " + in_brackets(*finding.site.block);
  if (*raw.what != '\0') return by + " " + filled_in(raw.what, finding) + ".";
  if (raw.about == RawFinding::About::lost || raw.about == RawFinding::About::kept) return leak(raw, finding);
  if (raw.about == RawFinding::About::lane) return by + " " + undefined_lane(raw.lane) + ".";
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

std::string MessageWriter::filled_in(std::string what, const Finding& finding) {
  const std::string other = finding.other ? at(*finding.other) : std::string();
  for (const auto& [place, text] :
       {std::pair("{element}", &finding.element), std::pair("{array}", &finding.array), std::pair("{other}", &other)}) {
    if (const auto at = what.find(place); at != std::string::npos) what.replace(at, std::string_view(place).size(), *text);
  }
  return what;
}

std::string MessageWriter::beside_surface(const RawFinding& raw, const Finding& finding) {
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

std::string MessageWriter::undefined_lane(const simt::LaneEvent& lane) {
  using Why = simt::LaneEvent::Why;
  std::ostringstream mask;
  mask << "0x" << std::hex << std::setfill('0') << std::setw(8) << lane.mask;
  const std::string own = std::to_string(lane.by.lane()), source = std::to_string(lane.source);
  if (lane.why == Why::mask_without_caller) {
    const std::string called = *lane.function == '\0' ? "a shuffle function" : lane.function;
    return "is lane " + own + " of its warp and calls " + called + " with the mask " + mask.str() + ", which does not contain lane " + own +
           ": what happens then is undefined";
  }
  const std::string why = lane.why == Why::source_not_in_mask ? "is not in the mask " + mask.str()
                          : lane.why == Why::source_has_left  ? "has left the kernel"
                                                              : "does not exist, because the block has no such thread";
  return "is lane " + own + " of its warp and takes the value of lane " + source + ", which " + why + ": the value is undefined";
}

std::string MessageWriter::leak(const RawFinding& raw, const Finding& finding) const {
  const std::string whose =
      raw.bound == 1 ? "thread " + in_brackets(*finding.site.thread) + " of block " + in_brackets(*finding.site.block) + " allocates"
                     : std::to_string(raw.bound) + " threads allocate";
  return "Of the memory that " + whose + " in " + at(finding.site) + ", " + bytes(static_cast<std::size_t>(raw.index)) +
         (raw.index == 1 ? " is" : " are") + " not freed when the kernel ends" +
         (raw.about == RawFinding::About::lost
              ? ", and no pointer to that is left: nobody can free it, and every launch takes more of the heap."
              : ". A pointer to that is left in global memory, so that a later kernel can free it.");
}

std::string MessageWriter::outside_allocation(const RawFinding& raw, const Finding& finding, const std::string& done) const {
  const auto* allocation = raw.region->heap->near(raw.region->base + static_cast<std::uintptr_t>(raw.offset));
  if (allocation == nullptr) return done + " memory that nobody has allocated.";
  if (raw.region->freed && allocation->freed_by == simt::DeviceHeap::elsewhere)
    return done + " " + finding.element + ", which an earlier launch has freed.";
  if (raw.region->freed) return done + " " + finding.element + ", which was freed in " + line_of(allocation->freed_by) + ".";
  const bool before = raw.region->base + static_cast<std::uintptr_t>(raw.offset) < allocation->base;
  return done + " " + finding.element + ", " + (before ? "before the start." : "past the end.");
}

std::string MessageWriter::out_of_bounds(const RawFinding& raw, const Finding& finding, const std::string& by) const {
  const std::string verb = finding.site.access == "read" ? " reads" : finding.site.access == "write" ? " writes" : " accesses";
  if (raw.region == nullptr && raw.bound != 0) {
    const std::string whose = finding.array.empty() ? "an array" : finding.array;
    return by + " uses subscript " + std::to_string(raw.index) + " of " + whose + ", but this dimension has only the subscripts 0 to " +
           std::to_string(raw.bound - 1) + ".";
  }
  if (raw.region == nullptr) {
    if (static_cast<std::uint64_t>(raw.offset) < 4096) return by + " uses a null pointer.";
    if (std::string_view(raw.site.access) == "write")
      return by + " writes to memory that belongs to no buffer, array or variable of the kernel.";
    return by + " uses an address that belongs to no buffer, array or variable of the kernel.";
  }
  if (raw.region->heap != nullptr) return outside_allocation(raw, finding, by + verb);
  const std::string where = raw.offset < 0 ? ", before the start" : ", past the end";
  const std::size_t elements = (raw.region->bytes - raw.region->named_from) / std::max<std::size_t>(1, raw.region->element_bytes);
  return by + verb + " " + finding.element + where + ": " + raw.region->name + " has " + std::to_string(elements) +
         (elements == 1 ? " element" : " elements") + shape(*raw.region) + paid_for(*raw.region) + ".";
}

std::string MessageWriter::paid_for(const Region& region) {
  if (!region.dynamic) return {};
  if (region.bytes == 0) return ", because the launch function asks for no dynamic shared memory (shared_bytes)";
  return ", because the launch function asks for " + std::to_string(region.bytes) + " bytes of dynamic shared memory (shared_bytes)";
}

std::string MessageWriter::shape(const Region& region) {
  if (region.dimensions.size() < 2) return {};
  std::string text;
  for (const std::size_t extent : region.dimensions) text += (text.empty() ? " (" : " x ") + std::to_string(extent);
  return text + ")";
}

}  // namespace tilelab
