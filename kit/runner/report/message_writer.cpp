// Places in the source, and names of elements, arrays and allocations.
#include "runner/report/message_writer.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>

#include "runner/report/subscript.hpp"
#include "simt/memory/device_heap.hpp"

namespace tilelab {
namespace {

using protocol::Extent;
using protocol::Finding;
using protocol::Site;
using simt::RawFinding;
using simt::RawSite;
using simt::Region;

std::string lower_file_name(const std::string& path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::array<unsigned, 3> index_in(std::uint64_t linear, const Extent& extent) {
  const std::uint64_t x = std::max(1u, extent.x), y = std::max(1u, extent.y);
  return {static_cast<unsigned>(linear % x), static_cast<unsigned>(linear / x % y), static_cast<unsigned>(linear / x / y)};
}

std::string in_brackets(const std::array<unsigned, 3>& index) {
  return "(" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," + std::to_string(index[2]) + ")";
}

Finding MessageWriter::describe(const RawFinding& raw) const {
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
  return finding;
}

Site MessageWriter::site(const RawSite& raw) const {
  Site where;
  if (const CodeLine* line = image_.line_at(raw.pc)) {
    where.line = raw.line != 0 ? raw.line : line->line;
    where.file = line->file < image_.files.size() ? lower_file_name(image_.files[line->file]) : "";
  }
  if (const CodeFunction* function = image_.function_at(raw.pc)) where.function = function->name;
  where.access = raw.access;
  const ChildGeometry* child = child_of(raw.by);
  where.block = child == nullptr ? index_in(raw.by.block, geometry_.grid) : index_in(raw.by.block - child->first_block, child->grid);
  where.thread = thread_of(raw.by);
  return where;
}

const ChildGeometry* MessageWriter::child_of(const simt::ThreadRef& thread) const {
  const auto after = std::ranges::upper_bound(geometry_.children, thread.block, {}, &ChildGeometry::first_block);
  return after == geometry_.children.begin() ? nullptr : &*std::prev(after);
}

std::array<unsigned, 3> MessageWriter::thread_of(const simt::ThreadRef& thread) const {
  const ChildGeometry* child = child_of(thread);
  return index_in(thread.thread, child == nullptr ? geometry_.block : child->block);
}

std::string MessageWriter::in_which_grid(const RawFinding& raw) const {
  const ChildGeometry *one = child_of(raw.site.by), *other = raw.other.pc == 0 ? one : child_of(raw.other.by);
  if (one == nullptr && other == nullptr) return {};
  const auto launched = [this](const ChildGeometry& child) { return line_of(child.launched_by); };
  if (one == other) return " Its grid was launched in " + launched(*one) + ".";
  if (one == nullptr || other == nullptr) return " The launch is in " + launched(one == nullptr ? *other : *one) + ".";
  const bool at_once = launched(*one) == launched(*other);
  return " The two grids were launched in " + launched(*one) + (at_once ? "" : " and in " + launched(*other)) +
         ", and nothing orders them.";
}

void MessageWriter::name_allocation(Finding& finding, const RawFinding& raw) const {
  const auto* allocation = raw.region->heap->near(raw.region->base + static_cast<std::uintptr_t>(raw.offset));
  if (allocation == nullptr) return;
  const auto at = static_cast<std::int64_t>(raw.region->base - allocation->base) + raw.offset;
  const bool is_earlier = allocation->allocated_by == simt::DeviceHeap::elsewhere;
  finding.array =
      "the " + bytes(allocation->bytes) + " allocated " + (is_earlier ? "by an earlier launch" : "in " + line_of(allocation->allocated_by));
  finding.element = "byte " + std::to_string(at) + " of " + finding.array;
}

std::string MessageWriter::line_of(std::uintptr_t pc) const {
  const CodeLine* line = image_.line_at(pc);
  return "line " + std::to_string(line != nullptr ? line->line : 0);
}

std::string MessageWriter::bytes(std::size_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

std::string MessageWriter::subscripted_array(const std::string& text, std::uint64_t bound) const {
  const std::set<std::string> names = subscripted_names(text);
  std::set<std::string> fitting;
  for (const Region& array : image_.shared) {
    const bool has = std::find(array.dimensions.begin(), array.dimensions.end(), bound) != array.dimensions.end();
    if (has && names.contains(array.name)) fitting.insert(array.name);
  }
  if (fitting.size() == 1) return *fitting.begin();
  return fitting.empty() && names.size() == 1 ? *names.begin() : std::string();
}

void MessageWriter::name_subscript(Finding& finding, const RawFinding& raw) const {
  const std::string& text = source_line(finding.site.line);
  std::optional<Subscript> subscript;
  if (!mentions_macro(text, image_.source)) {
    subscript = subscript_closing_at(text, raw.column);
    if (!subscript) subscript = subscript_behind(text, raw.column, raw.inner);
  }
  finding.array = subscript ? subscript->array : subscripted_array(text, raw.bound);
  if (!subscript) return;
  std::size_t dimensions = subscript->position + 1;
  for (const Region& array : image_.shared) {
    if (array.name == finding.array) dimensions = std::max(dimensions, array.dimensions.size());
  }
  finding.element = finding.array;
  for (std::size_t d = 0; d < dimensions; ++d) {
    finding.element += d == subscript->position ? "[" + std::to_string(raw.index) + "]" : "[…]";
  }
}

const std::string& MessageWriter::source_line(int line) const {
  static const std::string none;
  return line < 1 || static_cast<std::size_t>(line) > image_.source.size() ? none : image_.source[static_cast<std::size_t>(line) - 1];
}

std::map<int, std::uintptr_t> MessageWriter::lines_of(const RawFinding& raw) const {
  std::map<int, std::uintptr_t> lines;
  for (const std::uintptr_t pc : raw.conditions) {
    const CodeLine* line = pc == 0 ? nullptr : image_.line_at(pc);
    if (line != nullptr && line->line > 0) lines.emplace(line->line, pc);
  }
  return lines;
}

bool MessageWriter::calls(int line, const char* name) const {
  const std::string& text = source_line(line);
  return text.substr(0, std::min(text.find("//"), text.find("/*"))).find(name) != std::string::npos;
}

std::string MessageWriter::at(const Site& site) { return "line " + std::to_string(site.line); }

const char* MessageWriter::verb(const Site& site) {
  return site.access == "read" ? "reads" : site.access == "write" ? "writes" : "atomically updates";
}

}  // namespace tilelab
