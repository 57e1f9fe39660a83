// judge.json has the fields that grader/model/result/ reads. This test writes the sample beside this file, which the grader's
// own tests read. Set TILELAB_WRITE_SAMPLES=1 to write it again.
#include "judge/report/record.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab;
using namespace tilelab::judge;

namespace {

std::filesystem::path sample_path() { return std::filesystem::path(TILELAB_SAMPLES) / "judge.json"; }

std::string sample() {
  std::ifstream file(sample_path());
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// A launch with every field set.
LaunchRecord full_launch() {
  LaunchRecord launch;
  launch.shape = "M=2 N=3 K=4";
  launch.inputs = "small integers";
  launch.verdict = Verdict::race;
  launch.config = protocol::LaunchConfig{{1, 2, 3}, {16, 8, 1}, 4096};
  launch.message = "line 12: two threads";
  protocol::Finding race{.kind = "race",
                         .severity = "error",
                         .site = {},
                         .other = {},
                         .array = "As",
                         .element = "As[3][17]",
                         .message = "two threads",
                         .count = 7};
  race.site = {"a.cu", 12, "matmul(float*)", "write", simt::Index3{1u, 2u, 0u}, simt::Index3{3u, 4u, 0u}};
  race.other = protocol::Site{"a.cu", 15, "matmul(float*)", "read", simt::Index3{1u, 2u, 0u}, {}};
  protocol::Finding bare{.kind = "barrier-divergence",
                         .severity = "note",
                         .site = {},
                         .other = {},
                         .array = {},
                         .element = {},
                         .message = "somewhere",
                         .count = 1};
  launch.findings = {race, bare};
  const double infinity = std::numeric_limits<double>::infinity();
  launch.mismatch =
      Mismatch{"C", 2, 3, 4, 1, {{0, 1, -5, -4.5}, {1, 0, 3, std::nullopt}, {1, 1, 3, infinity}}, 8, 16, {".#.", "o##"}, 1, 1, "scattered"};
  launch.explanation = Explanation{"a-transposed", "The kernel uses A with row and column exchanged.", "Which index counts rows?"};
  launch.wrong_output = {1, 2};
  launch.counters = {{"global_load_bytes", 96}, {"events", 1000}};
  const protocol::Metrics loads{{"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", 12}};
  launch.traffic = protocol::Traffic{.metrics = loads, .lines = {{"a.cu", 12, loads}}, .complete = true};
  launch.work = {"multiply-add", 24, 104};
  launch.printed = "caf\xC3\xA9\n<script>\n";
  return launch;
}

std::vector<CaseRecord> sample_cases() {
  LaunchRecord bare;
  bare.shape = "M=1 N=1 K=1";
  bare.inputs = "signed random";
  return {{"multiplies a single element", {"public"}, true, Verdict::pass, "1 shape", {bare}},
          {"multiplies sizes that nothing divides",
           {"hidden", "technique"},
           false,
           Verdict::race,
           "M=2 N=3 K=4, small integers: line 12: two threads",
           {bare, full_launch()}}};
}

}  // namespace

TEST_CASE("judge.json is written as its sample has it", "[record]") {
  const std::string text = report_text(sample_cases());
  if (std::getenv("TILELAB_WRITE_SAMPLES")) std::ofstream(sample_path()) << text;
  CHECK(text == sample());
}

TEST_CASE("optional fields that are not known are left out", "[record]") {
  const nlohmann::json launch = sample_cases()[0].launches[0];
  for (const auto* absent : {"grid", "block", "shared_bytes", "mismatch", "explanation"}) CHECK_FALSE(launch.contains(absent));
  const nlohmann::json finding = nlohmann::json(full_launch()).at("findings").at(1);
  for (const auto* absent : {"file", "line", "block", "thread", "other", "array", "element", "access", "function"})
    CHECK_FALSE(finding.contains(absent));
}

TEST_CASE("every verdict has its own name and is found by it", "[record]") {
  for (std::size_t i = 0; i < verdict_names.size(); ++i) {
    const auto verdict = verdict_named(verdict_names[i]);
    REQUIRE(verdict);
    CHECK(static_cast<std::size_t>(*verdict) == i);
  }
  CHECK(name(Verdict::pass) == "pass");
  CHECK(name(Verdict::uninitialized_read) == "uninitialized-read");
  CHECK(worst(Verdict::pass, Verdict::wrong_answer) == Verdict::wrong_answer);
  CHECK(worst(Verdict::race, Verdict::timeout) == Verdict::timeout);
  CHECK_FALSE(verdict_named("passed"));
}
