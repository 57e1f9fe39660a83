// Reads image.json, which grader/engines writes.
#include "runner/submission/image.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "protocol/json/json_text.hpp"
#include "protocol/strict_json.hpp"

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

namespace tilelab {
namespace {

// Functions of the C library that a call through a pointer may go to: pure ones, which touch no memory. Throws std::runtime_error if it is
// none of those.
std::uintptr_t library_target(const std::string& name) {
#define TILELAB_ROW(name) {#name, reinterpret_cast<std::uintptr_t>(&tilelab_library_##name)},
  static const std::map<std::string, std::uintptr_t> table{TILELAB_LIBRARY(TILELAB_ROW)};
  const auto found = table.find(name);
  if (found == table.end()) throw std::runtime_error("no pointer may lead to " + name);
  return found->second;
}

using strict::integer;
using strict::list;
using strict::text;

using Address = std::uintptr_t;

// The `index`-th of a list's numbers.
template <class Integer = Address>
Integer number(const nlohmann::json& json, std::size_t index) {
  return integer<Integer>(json.at(index));
}

std::vector<Address> addresses(const nlohmann::json& json) {
  std::vector<Address> found;
  for (const auto& one : list(json)) found.push_back(integer<Address>(one));
  return found;
}

simt::BarrierCall barrier_call(const nlohmann::json& json) { return {number(json, 0), addresses(json.at(1))}; }

simt::KernelReturn kernel_return(const nlohmann::json& json) {
  simt::KernelReturn one{number(json, 0), addresses(json.at(1)), {}};
  for (const auto& call : list(json.at(2))) one.around.push_back(barrier_call(call));
  return one;
}

simt::Region named(const nlohmann::json& json, simt::Space space, const char* place) {
  simt::Region region;
  region.name = text(json.at("name"));
  region.space = space;
  if (*place != '\0') region.base = integer<Address>(json.at(place));
  region.bytes = integer<std::size_t>(json.at("bytes"));
  region.element = text(json.at("element"));
  region.element_bytes = integer<std::size_t>(json.at("element_bytes"));
  for (const auto& extent : list(json.at("dimensions"))) region.dimensions.push_back(integer<std::size_t>(extent));
  return region;
}

simt::Region shared_array(const nlohmann::json& json) {
  simt::Region array = named(json, simt::Space::shared, "offset");
  array.dynamic = json.at("dynamic").get<bool>();
  return array;
}

simt::Region module_variable(const nlohmann::json& json) {
  simt::Region variable = named(json, simt::Space::module, "address");
  variable.room = integer<std::size_t>(json.at("room"));
  if (json.at("read_only").get<bool>()) variable.role = simt::BufferRole::input;
  return variable;
}

simt::GuardedFrame guarded_frame(const nlohmann::json& json) {
  simt::GuardedFrame frame;
  frame.first = integer<Address>(json.at("first"));
  frame.end = integer<Address>(json.at("end"));
  for (const auto& one : list(json.at("variables"))) {
    frame.begins.push_back(integer<std::int64_t>(one.at("begin")));
    simt::Region variable = named(one, simt::Space::module, "");
    variable.in_frame = true;
    frame.variables.push_back(std::move(variable));
  }
  const auto count = static_cast<std::ptrdiff_t>(frame.variables.size());
  for (const auto& one : list(json.at("zones"))) {
    const simt::GuardZone zone{number<std::int64_t>(one, 0), number<std::int64_t>(one, 1), number<std::ptrdiff_t>(one, 2),
                               number<std::ptrdiff_t>(one, 3)};
    if (std::min(zone.below, zone.above) < -1 || std::max(zone.below, zone.above) >= count)
      throw std::runtime_error("a guard names a variable that is not there");
    frame.zones.push_back(zone);
  }
  for (const auto& one : list(json.at("unset"))) frame.unset.push_back({number<std::int64_t>(one, 0), number<std::int64_t>(one, 1)});
  return frame;
}

}  // namespace

Image load_image(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  const auto json = json_from(stream);
  Image image;
  image.files = json.at("files").get<std::vector<std::string>>();
  image.source = json.at("source").get<std::vector<std::string>>();
  for (const auto& line : list(json.at("lines"))) {
    image.lines.push_back({number(line, 0), number<int>(line, 1), number<std::size_t>(line, 2)});
  }
  for (const auto& function : list(json.at("functions"))) {
    image.functions.push_back({number(function, 0), number(function, 1), text(function.at(2))});
  }
  for (const auto& range : list(json.at("header_code"))) image.header_code.push_back({number(range, 0), number(range, 1)});
  for (const auto& loop : list(json.at("loops"))) image.loops.push_back({number(loop, 0), number(loop, 1)});
  for (const auto& call : list(json.at("barrier_calls"))) image.barrier_calls.push_back(barrier_call(call));
  for (const auto& one : list(json.at("returns"))) image.returns.push_back(kernel_return(one));
  for (const auto& array : list(json.at("shared"))) image.shared.push_back(shared_array(array));
  for (const auto& guard : list(json.at("guards"))) {
    const Address first = number(guard, 0);
    image.guards.push_back({first, first + number(guard, 1)});
  }
  std::vector<simt::GuardedFrame> frames;
  for (const auto& frame : list(json.at("frames"))) frames.push_back(guarded_frame(frame));
  image.frame_guards = simt::FrameGuards(std::move(frames));
  for (const auto& variable : list(json.at("variables"))) {
    if (variable.contains("symbol")) image.symbols[text(variable.at("symbol"))] = image.variables.size();
    image.variables.push_back(module_variable(variable));
  }
  image.dynamic_offset = integer<Address>(json.at("dynamic_offset"));
  image.static_shared_bytes = integer<std::size_t>(json.at("static_shared_bytes"));
  image.kernel = integer<Address>(json.at("kernel"));
  image.launch = integer<Address>(json.at("launch"));
  for (const auto& target : list(json.at("targets"))) image.targets.push_back(integer<Address>(target));
  for (const auto& name : list(json.at("library_targets"))) image.targets.push_back(library_target(text(name)));
  std::sort(image.targets.begin(), image.targets.end());
  image.launches_children = json.at("launches_children").get<bool>();
  image.argument_bytes = integer<std::size_t>(json.at("argument_bytes"));
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
