// The transpose problem: inputs that reveal every misplaced element, the oracle, and what its technique rule counts.
#include "problems/transpose.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "judge/comparison.hpp"

using namespace tilelab;
using namespace tilelab::transpose;
using judge::RandomStream;
using judge::Trial;

namespace {

bool is_right(const Trial& trial, const std::vector<double>& out) { return !judge::compare(out, trial.operands.at(1).expectation, {}); }

std::vector<double> turned(const Trial& trial, std::size_t M, std::size_t N) {
  std::vector<double> out;
  for (std::size_t column = 0; column < N; ++column) {
    for (std::size_t row = 0; row < M; ++row) out.push_back(trial.operands.at(0).values.at(row * N + column));
  }
  return out;
}

}  // namespace

TEST_CASE("the input of a transpose holds every quarter from 8 1/4 on once", "[transpose]") {
  const auto [M, N] = GENERATE(std::pair{1, 1}, std::pair{2, 3}, std::pair{40, 18}, std::pair{1, 77});
  const Trial trial = exact_trial({.M = M, .N = N}, RandomStream(3));
  std::vector<double> values = trial.operands.at(0).values, wanted(values.size());
  std::iota(wanted.begin(), wanted.end(), 1.0);
  for (double& value : wanted) value = 8 + value / 4;
  std::sort(values.begin(), values.end());
  CHECK(values == wanted);
}

TEST_CASE("the transpose passes, and no other order of its elements does", "[transpose]") {
  const Trial trial = exact_trial({.M = 5, .N = 7}, RandomStream(1));
  std::vector<double> out = turned(trial, 5, 7);
  CHECK(is_right(trial, out));
  CHECK_FALSE(is_right(trial, trial.operands[0].values));
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    std::swap(out[i], out[i + 1]);
    CHECK_FALSE(is_right(trial, out));
    std::swap(out[i], out[i + 1]);
  }
}

TEST_CASE("a transpose's trial describes its arguments in the kernel's order", "[transpose]") {
  const Trial trial = exact_trial({.M = 2, .N = 3}, RandomStream(0));
  std::vector<std::string> names;
  for (const auto& operand : trial.operands) names.push_back(operand.name);
  CHECK(names == std::vector<std::string>{"in", "out", "M", "N"});
  CHECK(trial.launch_arguments == std::vector{2, 3});
  CHECK(trial.operands[0].columns == 3);
  CHECK(trial.operands[1].columns == 2);
  CHECK(trial.operands[1].expectation.rows == 3);
  CHECK(trial.shape == "M=2 N=3");
}

TEST_CASE("a transpose's inputs follow from the seed alone, and differ with it", "[transpose]") {
  const auto in = [](std::uint64_t seed) { return exact_trial({.M = 6, .N = 6}, RandomStream(seed)).operands[0].values; };
  CHECK(in(1) == in(1));
  CHECK(in(1) != in(2));
}

TEST_CASE("a matrix without elements, or with more than fp32 can count, is refused", "[transpose]") {
  CHECK_THROWS_AS(exact_trial({.M = 0, .N = 1}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(exact_trial({.M = 1, .N = -1}, RandomStream(0)), std::logic_error);
  CHECK_THROWS_AS(exact_trial({.M = 4096, .N = 4096}, RandomStream(0)), std::logic_error);
}

TEST_CASE("shapes around a tile's side bring M and N together in every combination", "[transpose]") {
  std::set<std::pair<int, int>> met;
  for (const Shape& shape : around(16)) met.emplace(shape.M, shape.N);
  CHECK(met.size() == 9);
  CHECK(met.contains({15, 17}));
}

TEST_CASE("the technique rule asks for one load, one store and a way through shared memory to another thread", "[transpose]") {
  const std::uint64_t bytes = std::uint64_t{4} * 128 * 64;
  const judge::Counters staged{{"global_load_bytes", bytes},
                               {"global_store_bytes", bytes},
                               {"local_load_bytes", 0},
                               {"texture_load_bytes", 0},
                               {"surface_load_bytes", 0},
                               {"constant_replays", 0},
                               {"local_store_bytes", 0},
                               {"surface_store_bytes", 0},
                               {"direct_elements", 0},
                               {"handed_elements", 128 * 64 - 300},
                               {"kept_elements", 300},
                               {"most_elements_of_a_thread", 8},
                               {"most_words_of_a_thread", 40},
                               {"words_of_full_warps", 1},
                               {"words_of_all_threads", std::uint64_t{5} * 128 * 64},
                               {"output_elements", 128 * 64},
                               {"load_sectors", 1024},
                               {"least_load_sectors", 1024},
                               {"store_sectors", 2048},
                               {"least_store_sectors", 1024}};
  const auto missed = [&](const std::string& counter, std::uint64_t count) {
    auto counters = staged;
    counters[counter] = count;
    return missed_staging({.M = 128, .N = 64}, counters);
  };
  CHECK(missed("global_load_bytes", bytes).empty());
  CHECK(missed("most_elements_of_a_thread", 64).empty());
  for (const auto* counter : {"global_load_bytes", "global_store_bytes"}) {
    CHECK(missed(counter, bytes + 4).find("more often than needed") != std::string::npos);
  }
  for (const auto* counter : {"local_load_bytes", "local_store_bytes"}) {
    CHECK(missed(counter, 4).find("more often than needed") != std::string::npos);
  }
  CHECK(missed("global_load_bytes", bytes - 4).find("less from global memory") != std::string::npos);
  CHECK(missed("most_elements_of_a_thread", 65).find("more threads") != std::string::npos);
  CHECK(missed("direct_elements", 1).find("not every element passes through shared memory") != std::string::npos);
  CHECK(missed("handed_elements", 128 * 32 - 1).find("not every element passes through shared memory") != std::string::npos);
  CHECK(missed("store_sectors", 2049).find("what it stores lies in 2049 sectors") != std::string::npos);
  CHECK(missed("load_sectors", 2049).find("what it loads lies in 2049 sectors") != std::string::npos);
  CHECK_THROWS(missed_staging({.M = 128, .N = 64}, {}));
}

TEST_CASE("a thread beyond a ragged edge may load what it does not use, and store nothing", "[transpose]") {
  judge::Counters counters{{"global_load_bytes", 4 * 128 * 128},
                           {"global_store_bytes", 4 * 65 * 65},
                           {"local_load_bytes", 0},
                           {"texture_load_bytes", 0},
                           {"surface_load_bytes", 0},
                           {"constant_replays", 0},
                           {"local_store_bytes", 0},
                           {"surface_store_bytes", 0},
                           {"direct_elements", 0},
                           {"handed_elements", 65 * 65},
                           {"kept_elements", 0},
                           {"most_elements_of_a_thread", 8},
                           {"most_words_of_a_thread", 40},
                           {"words_of_full_warps", 1},
                           {"words_of_all_threads", 5 * 65 * 65},
                           {"output_elements", 65 * 65},
                           {"load_sectors", 900},
                           {"least_load_sectors", 600},
                           {"store_sectors", 900},
                           {"least_store_sectors", 600}};
  CHECK(missed_staging({.M = 65, .N = 65}, counters).empty());
  counters["global_store_bytes"] += 4;
  CHECK_FALSE(missed_staging({.M = 65, .N = 65}, counters).empty());
}
