// The only place where a parser and a printer of JSON are compiled.
#include "protocol/json/json_text.hpp"

#include <istream>
#include <iterator>

#include <nlohmann/json.hpp>

namespace tilelab {

using nlohmann::json;

json json_from(std::string_view text) { return json::parse(text.data(), text.data() + text.size()); }

json json_from(std::istream& input) { return json_from(std::string(std::istreambuf_iterator<char>(input), {})); }

std::string json_text(const json& value, int indent) { return value.dump(indent, ' ', false, json::error_handler_t::replace); }

}  // namespace tilelab
