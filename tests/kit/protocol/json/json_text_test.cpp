// JSON that is written and read, and what is refused.
#include "protocol/json/json_text.hpp"

#include <sstream>
#include <string>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

namespace tilelab {
namespace {

using nlohmann::json;

TEST_CASE("what was written is read again, from a text and from a stream", "[json-text]") {
  const json value{{"a", {1, 2.5, nullptr}}, {"b", "Übung"}};
  CHECK(json_from(json_text(value)) == value);
  std::istringstream stream(json_text(value, 1));
  CHECK(json_from(stream) == value);
  CHECK(json_text(value).find('\n') == std::string::npos);
}

TEST_CASE("what is no JSON, or more than that, is refused", "[json-text]") {
  for (const std::string text : {"", "{", "1 2", "{\"a\": 1}x", "\xff"}) {
    std::istringstream stream(text);
    CHECK_THROWS_AS(json_from(text), json::exception);
    CHECK_THROWS_AS(json_from(stream), json::exception);
  }
}

TEST_CASE("bytes that are no UTF-8 are replaced and do not end a program", "[json-text]") {
  CHECK(json_text("a\xff") == "\"a\xEF\xBF\xBD\"");
}

}  // namespace
}  // namespace tilelab
