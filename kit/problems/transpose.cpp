#include "problems/transpose.hpp"

#include <cstddef>
#include <stdexcept>
#include <utility>

namespace tilelab::transpose {
namespace {

constexpr std::uint64_t largest_tile = 64;  // in any lesson

constexpr std::size_t largest_exact = (1 << 24) - 33;  // quarters; fp32 represents all of them exactly

// Instrumented events that a launch may make before it counts as endless: a generous number for each element, and some for the
// idle threads of a large block on a tiny matrix.
constexpr std::uint64_t spare_events = 20'000'000, events_per_element = 20'000;

// `count` quarters from 8 1/4 on in random order (Fisher and Yates's shuffle). No half of one, as a double, looks like another.
std::vector<float> shuffled(std::size_t count, judge::RandomStream& random) {
  std::vector<float> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto other = static_cast<std::size_t>(random.between(0, static_cast<int>(i)));
    values[i] = values[other];
    values[other] = 0.25f * static_cast<float>(i + 33);
  }
  return values;
}

}  // namespace

judge::Trial exact_trial(Shape shape, judge::RandomStream random) {
  if (shape.M < 1 || shape.N < 1) throw std::logic_error("a shape's sides are at least 1");
  const auto M = static_cast<std::size_t>(shape.M), N = static_cast<std::size_t>(shape.N);
  if (M * N > largest_exact) throw std::logic_error("the matrix is too large for numbers that are all different");
  std::vector<float> in = shuffled(M * N, random);
  std::vector<double> out(N * M);
  for (std::size_t row = 0; row < M; ++row) {
    for (std::size_t column = 0; column < N; ++column) out[column * M + row] = in[row * N + column];
  }
  return {.shape = "M=" + std::to_string(shape.M) + " N=" + std::to_string(shape.N),
          .inputs = "quarters",
          .operands = {judge::input("in", N, std::move(in)), judge::output("out", {N, M, std::move(out), {}}), judge::integer("M", shape.M),
                       judge::integer("N", shape.N)},
          .launch_arguments = {shape.M, shape.N},
          .work_unit = "element",
          .work = M * N,
          .work_events = events_per_element * M * N,
          .spare_events = spare_events};
}

judge::Trial staged_trial(Shape shape, judge::RandomStream random) {
  judge::Trial trial = exact_trial(shape, random);
  trial.follows_values = true;  // no two elements are alike
  return trial;
}

std::string missed_staging(Shape shape, const judge::Counters& counters) {
  const auto M = static_cast<std::uint64_t>(shape.M), N = static_cast<std::uint64_t>(shape.N);
  const std::uint64_t bytes = sizeof(float) * M * N;
  const auto whole_tiles = [](std::uint64_t side) { return (side + largest_tile - 1) / largest_tile * largest_tile; };
  // A thread beyond an edge may load something that it does not use; it stores nothing.
  const std::uint64_t loadable = sizeof(float) * whole_tiles(M) * whole_tiles(N);
  if (judge::fetched_bytes(counters) < bytes)  // throws if missing: our own error
    return "it loads less from global memory than `in` holds: where does it have the rest from?";
  if (std::string missed = judge::missed_parallelism(counters); !missed.empty()) return missed;
  if (judge::loaded_bytes(counters) > loadable || judge::stored_bytes(counters) > bytes) {
    return "it uses elements in global memory more often than needed: load each element once and store it once.";
  }
  if (counters.at("direct_elements") > 0 || 2 * counters.at("handed_elements") < M * N) {
    return "not every element passes through shared memory to the thread that stores it. When each thread copies its own element directly, "
           "neighbouring threads load or store elements that are far apart in memory: let the threads of a block exchange elements "
           "instead.";
  }
  // Rows of a tile that begin anywhere touch at most twice the sectors that as many words in one piece would.
  for (const auto& [done, sectors, least] :
       {std::tuple("loads", "load_sectors", "least_load_sectors"), std::tuple("stores", "store_sectors", "least_store_sectors")}) {
    if (counters.at(sectors) > 2 * counters.at(least))
      return std::string("the lanes of a warp are not neighbours in global memory: what it ") + done + " lies in " +
             std::to_string(counters.at(sectors)) + " sectors of 32 bytes, where " + std::to_string(counters.at(least)) +
             " would hold it; at most twice as many earn these points. Let neighbouring lanes load, and store, neighbouring elements.";
  }
  return {};
}

}  // namespace tilelab::transpose
