// Requests of a hostile program: every value that is not as it should be is refused.
#include "program/host_request.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab::program;

TEST_CASE("a request is an object with a short word for what is asked", "[host_request]") {
  CHECK(HostRequest(R"({"op": "bye"})").op() == "bye");
  const std::string bad =
      GENERATE(as<std::string>(), "", "{", "[]", "7", "{}", R"({"op": 7})", R"({"op": "a word that is longer than any request's"})",
               std::string(100'000, '['), "\xff\xfe", R"({"op": "bye"} {)");
  CHECK_THROWS_AS(HostRequest(bad), BrokenRules);
}

TEST_CASE("numbers are whole, not negative and present", "[host_request]") {
  const auto number = [](const std::string& text) { return HostRequest(R"({"op": "x", "n": )" + text + "}").number("n"); };
  CHECK(number("18446744073709551615") == ~std::uint64_t{0});
  const auto bad = GENERATE("-1", "1.5", "1e3", "18446744073709551616", "null", "\"7\"", "[7]", "true");
  CHECK_THROWS_AS(number(bad), BrokenRules);
  CHECK_THROWS_AS(HostRequest(R"({"op": "x"})").number("n"), BrokenRules);
  CHECK(HostRequest(R"({"op": "x"})").number_or("n", 3) == 3);
}

TEST_CASE("lists, texts and flags have their shapes and limits", "[host_request]") {
  const HostRequest request(
      R"({"op": "x", "grid": [1, 2, 4294967295], "long": [1, 2, 4294967296], "two": [1, 2], "text": "four", "yes": true})");
  CHECK(request.extent("grid").z == 4294967295u);
  CHECK_THROWS_AS(request.extent("long"), BrokenRules);
  CHECK_THROWS_AS(request.extent("two"), BrokenRules);
  CHECK_THROWS_AS(request.extent("text"), BrokenRules);
  CHECK(request.text("text", 4) == "four");
  CHECK_THROWS_AS(request.text("text", 3), BrokenRules);
  CHECK_THROWS_AS(request.texts("grid", 10, 10), BrokenRules);
  CHECK(request.flag("yes"));
  CHECK_FALSE(request.flag("no"));
  CHECK_THROWS_AS(request.flag("text"), BrokenRules);
  CHECK_THROWS_AS(request.kind(), BrokenRules);
}
