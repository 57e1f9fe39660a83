// Reads image.json, which grader/engines writes.
#include "runner/image.hpp"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace tilelab {
namespace {

simt::Region named(const nlohmann::json& json, simt::Space space, const char* place) {
  simt::Region region;
  region.name = json.at("name");
  region.space = space;
  region.base = json.at(place);
  region.bytes = json.at("bytes");
  region.element = json.at("element");
  region.element_bytes = json.at("element_bytes");
  region.dimensions = json.at("dimensions").get<std::vector<std::size_t>>();
  return region;
}

simt::Region shared_array(const nlohmann::json& json) {
  simt::Region array = named(json, simt::Space::shared, "offset");
  array.dynamic = json.at("dynamic");
  return array;
}

}  // namespace

Image load_image(const std::filesystem::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  const auto json = nlohmann::json::parse(stream);
  Image image;
  image.files = json.at("files").get<std::vector<std::string>>();
  image.source = json.at("source").get<std::vector<std::string>>();
  for (const auto& line : json.at("lines")) image.lines.push_back({line.at(0), line.at(1), line.at(2)});
  for (const auto& function : json.at("functions")) image.functions.push_back({function.at(0), function.at(1), function.at(2)});
  for (const auto& range : json.at("header_code")) image.header_code.push_back({range.at(0), range.at(1)});
  for (const auto& loop : json.at("loops")) image.loops.push_back({loop.at(0), loop.at(1)});
  for (const auto& array : json.at("shared")) image.shared.push_back(shared_array(array));
  for (const auto& guard : json.at("guards")) {
    const std::uintptr_t first = guard.at(0), bytes = guard.at(1);
    image.guards.push_back({first, first + bytes});
  }
  for (const auto& variable : json.at("variables")) image.variables.push_back(named(variable, simt::Space::module, "address"));
  image.dynamic_offset = json.at("dynamic_offset");
  image.static_shared_bytes = json.at("static_shared_bytes");
  image.kernel = json.at("kernel");
  image.launch = json.at("launch");
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
}

}  // namespace tilelab
