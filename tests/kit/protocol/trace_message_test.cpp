// What is read of a trace that the runner claims: numbers that no block of a launch can have are refused.
#include "protocol/protocol.hpp"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <nlohmann/json.hpp>

using namespace tilelab::protocol;
using nlohmann::json;

namespace {

json trace_json() {
  Trace trace;
  trace.arrays.push_back({.name = "A", .space = "global", .element = "float", .element_bytes = 4, .dimensions = {}, .base = 0});
  trace.places.push_back({.file = "a.cu", .function = "k", .line = 5});
  trace.steps.push_back({.bytes = 4});
  return json(trace);
}

TEST_CASE("a trace with more barriers than steps may be kept is refused", "[trace]") {
  json trace = trace_json();
  trace["steps"] = "0,0," + std::to_string(most_trace_steps) + ",0,0,4,0,0,0,0";
  CHECK(trace.get<Trace>().steps.front().interval == most_trace_steps);
  trace["steps"] = "0,0," + std::to_string(most_trace_steps + 1) + ",0,0,4,0,0,0,0";
  CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
}

TEST_CASE("steps are one text of numbers, which come back as they were", "[trace]") {
  Trace trace = trace_json().get<Trace>();
  trace.steps = {{.kind = TracedStep::Kind::write, .thread = 3, .offset = -8, .bytes = 8, .bits = ~std::uint64_t{0}, .part = 9},
                 {.bytes = 4}};
  const json written = trace;
  CHECK(written["steps"] == "1,3,0,0,-8,8,18446744073709551615,0,0,9,0,0,0,0,0,4,0,0,0,0");
  CHECK(json(written.get<Trace>()) == written);
  trace.steps.clear();
  CHECK(json(trace)["steps"] == "");
  CHECK(json(trace).get<Trace>().steps.empty());
}

TEST_CASE("a trace with more steps than may be kept is refused", "[trace]") {
  Trace trace = trace_json().get<Trace>();
  trace.steps.assign(most_trace_steps, {.bytes = 4});
  CHECK(json(trace).get<Trace>().steps.size() == most_trace_steps);
  trace.steps.push_back({.bytes = 4});
  CHECK_THROWS_AS(json(trace).get<Trace>(), json::exception);
}

TEST_CASE("a text that is no whole rows of numbers is refused", "[trace]") {
  json trace = trace_json();
  const std::string row = "0,0,0,0,0,4,0,0,0,0";
  CHECK_NOTHROW((trace["steps"] = row + "," + row, trace.get<Trace>()));
  for (const std::string& wrong :
       std::vector<std::string>{row + ",", "," + row, row + ",0", row + ";" + row, row + " ", "0,0,0,0,0,4,0,0,0", "a,0,0,0,0,4,0,0,0,0",
                                "0,,0,0,0,4,0,0,0,0", "0,-1,0,0,0,4,0,0,0,0", "256,0,0,0,0,4,0,0,0,0", "0,4294967296,0,0,0,4,0,0,0,0",
                                "0,0,0,0,0,4,18446744073709551616,0,0,0", "0,1.5,0,0,0,4,0,0,0,0", "0, 0,0,0,0,4,0,0,0,0"}) {
    CAPTURE(wrong);
    trace["steps"] = wrong;
    CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
  }
  trace["steps"] = json::array();
  CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
}

TEST_CASE("a trace of an array whose elements are larger than half a gibibyte is refused", "[trace]") {
  json trace = trace_json();
  trace["arrays"][0]["element_bytes"] = std::size_t{1} << 29;
  CHECK_NOTHROW(trace.get<Trace>());
  trace["arrays"][0]["element_bytes"] = (std::size_t{1} << 29) + 1;
  CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
}

TEST_CASE("a lane that a warp does not have brings nothing", "[trace]") {
  json trace = trace_json();
  trace["steps"] = "8,0,0,0,31,0,0,0,0,0";
  CHECK(trace.get<Trace>().steps.front().kind == TracedStep::Kind::exchange);
  for (const int lane : {-1, 32}) {
    trace["steps"] = "8,0,0,0," + std::to_string(lane) + ",0,0,0,0,0";
    CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
  }
  trace["steps"] = "9,0,0,0,0,0,0,0,0,0";
  CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
}

TEST_CASE("threads of two blocks have numbers, and no block has more", "[trace]") {
  json trace = trace_json();
  trace["steps"] = "0,2047,0,0,0,4,0,0,0,0";
  CHECK(trace.get<Trace>().steps.front().thread == 2047);
  trace["steps"] = "0,2048,0,0,0,4,0,0,0,0";
  CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
}

TEST_CASE("a second block and a held thread may be asked for", "[trace]") {
  const TraceRequest plain = json{{"block", {1, 2, 3}}}.get<TraceRequest>();
  CHECK_FALSE(plain.beside);
  CHECK_FALSE(plain.held);
  CHECK_FALSE(json(plain).contains("held"));
  const TraceRequest request = json(TraceRequest{.block = {1, 0, 0}, .beside = {{4, 5, 6}}, .held = HeldThread{7, 8}}).get<TraceRequest>();
  CHECK(request.beside == tilelab::simt::Index3{4, 5, 6});
  REQUIRE(request.held);
  CHECK(request.held->thread == 7);
  CHECK(request.held->write == 8);
  CHECK_THROWS_AS((json{{"block", {1, 2, 3}}, {"beside", {1, 2}}}.get<TraceRequest>()), json::exception);
  CHECK_THROWS_AS((json{{"block", {1, 2, 3}}, {"held", {{"thread", -1}, {"write", 0}}}}.get<TraceRequest>()), json::exception);
}

}  // namespace
