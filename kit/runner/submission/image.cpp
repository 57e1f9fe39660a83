// Reads image.json, which grader/engines writes.
#include "runner/submission/image.hpp"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "protocol/json/json_text.hpp"
#include "protocol/message_fields.hpp"

// The names are the linker's, because <cmath> gives each of them several meanings. They are those of PURE in
// grader/engines/device_functions.py.
// clang-format off: a table reads better as one
#define TILELAB_LIBRARY(F) \
  F(acos) F(acosf) F(acosh) F(acoshf) F(asin) F(asinf) F(asinh) F(asinhf) F(atan) F(atanf) F(atan2) F(atan2f) F(atanh) F(atanhf) \
  F(cbrt) F(cbrtf) F(ceil) F(ceilf) F(copysign) F(copysignf) F(cos) F(cosf) F(cosh) F(coshf) F(erf) F(erff) F(erfc) F(erfcf) \
  F(exp) F(expf) F(exp2) F(exp2f) F(expm1) F(expm1f) F(fabs) F(fabsf) F(fdim) F(fdimf) F(floor) F(floorf) F(fma) F(fmaf) F(fmax) \
  F(fmaxf) F(fmin) F(fminf) F(fmod) F(fmodf) F(hypot) F(hypotf) F(ilogb) F(ilogbf) F(j0) F(j0f) F(j1) F(j1f) F(jn) F(jnf) F(ldexp) \
  F(ldexpf) F(llrint) F(llrintf) F(llround) F(llroundf) F(log) F(logf) F(log10) F(log10f) F(log1p) F(log1pf) F(log2) F(log2f) \
  F(logb) F(logbf) F(lrint) F(lrintf) F(lround) F(lroundf) F(nearbyint) F(nearbyintf) F(nextafter) F(nextafterf) F(pow) F(powf) \
  F(remainder) F(remainderf) F(rint) F(rintf) F(round) F(roundf) F(scalbln) F(scalblnf) F(scalbn) F(scalbnf) F(sin) F(sinf) \
  F(sinh) F(sinhf) F(sqrt) F(sqrtf) F(tan) F(tanf) F(tanh) F(tanhf) F(tgamma) F(tgammaf) F(trunc) F(truncf) F(y0) F(y0f) F(y1) \
  F(y1f) F(yn) F(ynf) F(abs) F(labs) F(llabs)
// clang-format on

#define TILELAB_DECLARED(name) extern "C" void tilelab_library_##name() __asm__(#name);
TILELAB_LIBRARY(TILELAB_DECLARED)

namespace tilelab::simt {

TILELAB_ROW(AddressRange, first, end)
TILELAB_ROW(CodeLoop, first, last)
TILELAB_ROW(BarrierCall, pc, conditions)
TILELAB_ROW(KernelReturn, pc, behind, around)
TILELAB_ROW(GuardZone, begin, end, below, above)
TILELAB_ROW(GuardedFrame::Extent, begin, end)
TILELAB_MESSAGE(Region, TILELAB_NEEDS(name, bytes, element, element_bytes, dimensions))

}  // namespace tilelab::simt

namespace tilelab {

TILELAB_ROW(CodeLine, address, line, file)
TILELAB_ROW(CodeColumn, address, column)
TILELAB_ROW(CodeFunction, first, end, name)
TILELAB_ROW(Subscripted, line, column, array, closings)
TILELAB_FIELDS(Image, TILELAB_NEEDS(files, subscripts, block_syncs, warp_syncs, lines, functions, header_code, loops, barrier_calls,
                                    returns, dynamic_offset, static_shared_bytes, kernel, launch, targets, launches_children,
                                    argument_bytes) TILELAB_MAY_HAVE(columns))

namespace {

// Functions of the C library that a call through a pointer may go to: pure ones, which touch no memory. Throws std::runtime_error if it is
// none of those.
std::uintptr_t library_target(const std::string& name) {
#define TILELAB_TARGET(name) {#name, reinterpret_cast<std::uintptr_t>(&tilelab_library_##name)},
  static const std::map<std::string, std::uintptr_t> table{TILELAB_LIBRARY(TILELAB_TARGET)};
  const auto found = table.find(name);
  if (found == table.end()) throw std::runtime_error("no pointer may lead to " + name);
  return found->second;
}

using fields::read;
using strict::integer;
using strict::list;

simt::Region named(const nlohmann::json& json, simt::Space space) {
  simt::Region region;
  read(json, region);
  region.space = space;
  return region;
}

simt::Region shared_array(const nlohmann::json& json) {
  simt::Region array = named(json, simt::Space::shared);
  read(json.at("offset"), array.base);
  read(json.at("dynamic"), array.dynamic);
  return array;
}

simt::Region module_variable(const nlohmann::json& json) {
  simt::Region variable = named(json, simt::Space::module);
  read(json.at("address"), variable.base);
  read(json.at("room"), variable.room);
  if (json.at("read_only").get<bool>()) variable.role = simt::BufferRole::input;
  return variable;
}

simt::GuardedFrame guarded_frame(const nlohmann::json& json) {
  simt::GuardedFrame frame;
  read(json.at("first"), frame.first);
  read(json.at("end"), frame.end);
  read(json.at("zones"), frame.zones);
  read(json.at("memory"), frame.memory);
  read(json.at("unset"), frame.unset);
  for (const auto& one : list(json.at("variables"))) {
    frame.begins.push_back(integer<std::int64_t>(one.at("begin")));
    frame.variables.push_back(named(one, simt::Space::module));
    frame.variables.back().in_frame = true;
  }
  const auto count = static_cast<std::ptrdiff_t>(frame.variables.size());
  for (const simt::GuardZone& zone : frame.zones)
    if (std::min(zone.below, zone.above) < -1 || std::max(zone.below, zone.above) >= count)
      throw std::runtime_error("a guard names a variable that is not there");
  return frame;
}

}  // namespace

Image load_image(const std::filesystem::path& file) {
  const auto json = json_of(file.string());
  Image image;
  read_fields(json, image);
  for (const auto& array : list(json.at("shared"))) image.shared.push_back(shared_array(array));
  for (const auto& guard : list(json.at("guards"))) {
    std::array<std::uintptr_t, 2> extent;  // where it begins, and its bytes
    read(guard, extent);
    image.guards.push_back({extent[0], extent[0] + extent[1]});
  }
  std::vector<simt::GuardedFrame> frames;
  for (const auto& frame : list(json.at("frames"))) frames.push_back(guarded_frame(frame));
  image.frame_guards = simt::FrameGuards(std::move(frames));
  for (const auto& variable : list(json.at("variables"))) {
    if (variable.contains("symbol")) image.symbols[strict::text(variable.at("symbol"))] = image.variables.size();
    image.variables.push_back(module_variable(variable));
  }
  for (const auto& name : list(json.at("library_targets"))) image.targets.push_back(library_target(strict::text(name)));
  std::sort(image.targets.begin(), image.targets.end());
  return image;
}

const CodeLine* Image::line_at(std::uintptr_t pc) const {
  const auto after =
      std::upper_bound(lines.begin(), lines.end(), pc - 1, [](std::uintptr_t at, const CodeLine& line) { return at < line.address; });
  return after == lines.begin() ? nullptr : &*std::prev(after);
}

const CodeFunction* Image::function_at(std::uintptr_t pc) const {
  for (const CodeFunction& function : functions) {
    if (pc - 1 >= function.first && pc - 1 < function.end) return &function;
  }
  return nullptr;
}

std::string Image::array_at(std::uintptr_t pc, bool writes) const {
  const auto next =
      std::upper_bound(columns.begin(), columns.end(), pc - 1, [](std::uintptr_t at, const CodeColumn& one) { return at < one.address; });
  const CodeLine* const line = line_at(pc);
  if (next == columns.begin() || line == nullptr || std::prev(next)->address < line->address) return {};
  const std::uint32_t column = std::prev(next)->column;
  const Subscripted* found = nullptr;
  for (const Subscripted& one : subscripts) {
    if (one.line != line->line || one.closings.empty()) continue;
    if (one.column == column || std::ranges::find(one.closings, column) != one.closings.end()) return one.array;
    const bool is_before = writes && one.closings.back() < column;
    if (is_before && (found == nullptr || one.closings.back() > found->closings.back())) found = &one;
  }
  return found == nullptr ? std::string() : found->array;
}

CodePlace Image::place_of(std::uintptr_t pc) const {
  CodePlace place;
  if (const CodeLine* line = line_at(pc)) {
    place.line = line->line;
    if (line->file < files.size()) place.file = std::filesystem::path(files[line->file]).filename().string();
  }
  if (const CodeFunction* function = function_at(pc)) place.function = function->name;
  return place;
}

simt::LoopMap Image::loop_map() const {
  std::vector<simt::CodeExtent> extents;
  for (const CodeFunction& function : functions) extents.push_back({function.first, function.end});
  return {loops, extents};
}

bool Image::on_one_line(std::uintptr_t one, std::uintptr_t other) const {
  const CodeLine *first = line_at(one), *second = line_at(other);
  return first != nullptr && second != nullptr && first->file == second->file && first->line == second->line;
}

void Image::seal_in(simt::SealedTables& tables) const {
  tables.add(this, sizeof *this);
  tables.add(lines);
  tables.add(functions);
  tables.add(header_code);
  tables.add(loops);
  tables.add(shared);
  tables.add(guards);
  tables.add(variables);
  tables.add(targets);
  tables.add(frame_guards.frames());
}

}  // namespace tilelab
