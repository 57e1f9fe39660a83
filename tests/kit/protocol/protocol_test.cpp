// The protocol's messages survive JSON unchanged, and only their exact shape is read.
#include "protocol/protocol.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "protocol/json/json_text.hpp"

using namespace tilelab::protocol;
using nlohmann::json;

namespace {

LaunchReply rich_reply() {
  LaunchReply reply;
  reply.status = Status::launch_error;
  reply.detail = "a block of 2048 threads";
  reply.config = {{1, 2, 3}, {16, 128, 1}, 4096};
  reply.findings = {{.kind = "race",
                     .severity = "error",
                     .site = {"a.cu", 12, "kernel", "write", tilelab::simt::Index3{1u, 0u, 0u}, tilelab::simt::Index3{3u, 4u, 0u}},
                     .other = Site{"a.cu", 15, "kernel", "read", {}, {}},
                     .array = "As",
                     .element = "As[3][17]",
                     .message = "two threads",
                     .count = 1ull << 40}};
  reply.counters = {{"events", ~0ull}};
  reply.printed = "hello\n";
  return reply;
}

json reply_json() { return json::parse(json(rich_reply()).dump()); }

}  // namespace

TEST_CASE("a launch request survives JSON unchanged", "[protocol]") {
  LaunchRequest request;
  request.arguments = {{.name = "A", .role = Role::input, .element = "float", .bytes = 24, .bits = 0, .row_elements = 3},
                       {.name = "alpha", .role = Role::scalar, .element = "double", .bytes = 8, .bits = ~0ull, .row_elements = 0}};
  request.launch_arguments = {2, -3, 1};
  request.config = LaunchConfig{{1, 1, 1}, {4, 4, 1}, 64};
  request.event_budget = ~0ull;
  request.order_seed = 7;
  const json once = request;
  const auto back = json::parse(once.dump()).get<LaunchRequest>();
  CHECK(json(back) == once);
  CHECK(back.arguments.at(1).bits == ~0ull);
  CHECK(back.launch_arguments == std::vector{2, -3, 1});
  CHECK(back.config->block.y == 4);
}

TEST_CASE("a launch reply survives JSON unchanged", "[protocol]") {
  const auto back = reply_json().get<LaunchReply>();
  CHECK(json(back) == json(rich_reply()));
  CHECK(back.status == Status::launch_error);
  CHECK(back.findings.at(0).other->line == 15);
  CHECK_FALSE(back.findings.at(0).other->block);
  CHECK(back.counters.at("events") == ~0ull);
}

TEST_CASE("printed bytes that are no UTF-8 are replaced rather than refused", "[protocol]") {
  LaunchReply reply;
  reply.printed = "a\xff\xc3";
  const auto back = tilelab::json_from(tilelab::json_text(reply)).get<LaunchReply>();
  CHECK(back.printed == "a\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST_CASE("a reply with a wrong field is refused", "[protocol]") {
  const auto [pointer, value] = GENERATE(table<std::string, std::string>({
      {"/status", "\"excellent\""},
      {"/status", "null"},
      {"/config/grid", "[1, 2]"},
      {"/config/grid", "[1, 2, 3, 4]"},
      {"/config/grid/0", "-1"},
      {"/config/grid/0", "4294967296"},
      {"/config/grid/0", "1e300"},
      {"/config/grid/0", "1.5"},
      {"/config/grid/0", "true"},
      {"/findings", "{}"},
      {"/findings/0", "\"race\""},
      {"/findings/0/line", "2147483648"},
      {"/findings/0/line", "-2147483649"},
      {"/findings/0/thread", "null"},
      {"/findings/0/count", "-1"},
      {"/counters", "[]"},
      {"/counters/events", "1.0"},
      {"/printed", "[\"a\"]"},
  }));
  CAPTURE(pointer, value);
  json reply = reply_json();
  reply.at(json::json_pointer(pointer)) = json::parse(value);
  CHECK_THROWS_AS(reply.get<LaunchReply>(), json::exception);
}

TEST_CASE("a reply that lacks a field is refused", "[protocol]") {
  const auto name = GENERATE("status", "detail", "config", "findings", "counters", "printed");
  json reply = reply_json();
  reply.erase(name);
  CHECK_THROWS_AS(reply.get<LaunchReply>(), json::exception);
}
