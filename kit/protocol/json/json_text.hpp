// JSON as text. The parser and the printer are compiled here only: they are templates, a second of a compiler's time for each source
// that uses them, and whoever sets up a handout waits for that.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace tilelab {

// Throw nlohmann::json::exception where it is no JSON. A stream is read to its end.
nlohmann::json json_from(std::string_view text);
nlohmann::json json_from(std::istream& input);

// Files, by their whole content. They throw std::runtime_error that names the file.
std::string content_of(const std::string& path);
nlohmann::json json_of(const std::string& path);
void write_file(const std::string& path, const void* bytes, std::size_t count);

// On one line; with `indent`, on many. Bytes that are no UTF-8 become U+FFFD.
std::string json_text(const nlohmann::json& value, int indent = -1);

}  // namespace tilelab
