// What is read of a trace that the runner claims: numbers that no block of a launch can have are refused.
#include "protocol/protocol.hpp"

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
  trace["steps"][0][2] = most_trace_steps;
  CHECK(trace.get<Trace>().steps.front().interval == most_trace_steps);
  trace["steps"][0][2] = most_trace_steps + 1;
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
  trace["steps"][0] = {8, 0, 0, 0, 31, 0, 0, 0, 0, 0};
  CHECK(trace.get<Trace>().steps.front().kind == TracedStep::Kind::exchange);
  for (const int lane : {-1, 32}) {
    trace["steps"][0][4] = lane;
    CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
  }
  trace["steps"][0] = {9, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  CHECK_THROWS_AS(trace.get<Trace>(), json::exception);
}

TEST_CASE("threads of two blocks have numbers, and no block has more", "[trace]") {
  json trace = trace_json();
  trace["steps"][0][1] = 2047;
  CHECK(trace.get<Trace>().steps.front().thread == 2047);
  trace["steps"][0][1] = 2048;
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
