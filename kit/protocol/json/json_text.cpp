// The only place where a parser and a printer of JSON are compiled.
#include "protocol/json/json_text.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include <nlohmann/json.hpp>

namespace tilelab {

using nlohmann::json;

json json_from(std::string_view text) { return json::parse(text.data(), text.data() + text.size()); }

json json_from(std::istream& input) { return json_from(std::string(std::istreambuf_iterator<char>(input), {})); }

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

json json_of(const std::string& path) { return json_from(content_of(path)); }

void write_file(const std::string& path, const void* bytes, std::size_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

std::string json_text(const json& value, int indent) { return value.dump(indent, ' ', false, json::error_handler_t::replace); }

}  // namespace tilelab
