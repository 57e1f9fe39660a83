// What the checks of a lab's tests are made of, and what technique checks ask of the counters of a launch, whatever the problem: how much
// it really loads and stores, and whether its work is spread over threads. A counter that is missing is ours to mend: std::out_of_range.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "judge/random_stream.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

using Counters = std::map<std::string, std::uint64_t>;

// So many elements of an output one thread may compute: a register tile of 8 by 8.
inline constexpr std::uint64_t most_elements_of_a_thread = 64;
// And the work of so many on average: threads that compute 64 each need not all load the same share of the tiles.
inline constexpr std::uint64_t most_work_of_a_thread = 96;

// What is loaded of the operands: from global memory, also through a texture or a surface. What a host copied into constant memory is not
// seen here.
inline std::uint64_t fetched_bytes(const Counters& counters) {
  return counters.at("global_load_bytes") + counters.at("texture_load_bytes") + counters.at("surface_load_bytes");
}
// The same, with what is no nearer: local arrays that a GPU keeps in local memory, and words of constant memory that are not the same for
// all lanes of a warp.
inline std::uint64_t loaded_bytes(const Counters& counters) {
  return fetched_bytes(counters) + counters.at("local_load_bytes") + 4 * counters.at("constant_replays");
}
inline std::uint64_t stored_bytes(const Counters& counters) {
  return counters.at("global_store_bytes") + counters.at("surface_store_bytes") + counters.at("local_store_bytes");
}

// Why the lanes of a warp do not work together; empty: they do. On a GPU they run one instruction, and idle lanes wait for the busy ones.
inline std::string missed_lanes(const Counters& counters) {
  constexpr std::uint64_t least = 4;  // of 32
  const std::uint64_t all = counters.at("words_of_all_threads"), full = counters.at("words_of_full_warps");
  if (32 * all >= least * full) return {};
  return "of the 32 lanes of a warp, fewer than " + std::to_string(32 * all / full + 1) + " load and store at the same time; at least " +
         std::to_string(least) + " earn these points. Start blocks of 32 threads or more, and let neighbouring threads work side by side.";
}

// Why the warps of a block do not work together; empty: they do. A tree has few phases; in a chain, a barrier stands behind each thread.
inline std::string missed_phases(const Counters& counters) {
  constexpr std::uint64_t most = 16;  // threads for one that works: right kernels of lab 06 have at most 6, a chain has 52
  const std::uint64_t all = counters.at("words_of_all_threads"), full = counters.at("words_of_full_blocks");
  if (full <= most * all) return {};
  return "between the barriers of a block, fewer than one in " + std::to_string(full / all) +
         " of its threads loads and stores; at least one in " + std::to_string(most) +
         " earns these points. Let half of the threads add in each step, and not one after another.";
}

// Why the work is not spread over threads; empty: it is. `most_words`: so many words one thread may load and store in a launch.
// `most_in_run`: so many the busiest threads of all launches together, which come one after another. `remedy` says what to do. Both are
// bounds on the busiest alone: what other threads do to no purpose changes nothing.
inline std::string missed_spread(const Counters& counters, std::uint64_t most_words, const std::string& remedy,
                                 std::uint64_t most_in_run = ~std::uint64_t{0}) {
  const std::uint64_t busiest = counters.at("most_words_of_a_thread"), together = counters.at("busiest_thread_words");
  if (busiest > most_words)
    return "one thread loads and stores " + std::to_string(busiest) + " numbers; at most " + std::to_string(most_words) +
           " earn these points. " + remedy;
  if (together > most_in_run)
    return "the busiest threads of its launches, which run one after another, load and store " + std::to_string(together) +
           " numbers; at most " + std::to_string(most_in_run) + " earn these points. " + remedy;
  return missed_lanes(counters);
}

// Why shared memory is not the means by which threads share; empty: it is.
inline std::string missed_shared(const Counters& counters) {
  constexpr std::uint64_t least_gain = 150;  // of a product of which one factor comes that way: nearly 200; see measure_shared_use
  const std::uint64_t used = counters.at("used_words"), handed = counters.at("shared_words_of_others");
  if (used > 0 && 2 * handed >= used) {
    if (counters.at("shared_gain_percent") >= least_gain) return {};
    return "the result hardly depends on what its threads read from shared memory. Load a tile of each matrix into a `__shared__` "
           "array, wait at a barrier, and multiply from there.";
  }
  return "only " + std::to_string(used > 0 ? 100 * handed / used : 0) +
         " % of the elements that its threads use reach several threads through shared memory, where another thread laid them; at least "
         "50 % earn these points. Load a tile into a `__shared__` array, wait at a barrier, and multiply from there.";
}

// Why the launch does not use threads as a GPU needs it; empty: it does.
inline std::string missed_parallelism(const Counters& counters) {
  const auto limit = [](std::uint64_t most) {
    return "; at most " + std::to_string(most) + " earn these points. Share the work among more threads.";
  };
  const std::uint64_t most = counters.at("most_elements_of_a_thread");
  if (most > most_elements_of_a_thread)
    return "one thread stores " + std::to_string(most) + " elements of the result" + limit(most_elements_of_a_thread);
  // Whoever stores them: the busiest thread's loads and stores, held against those of an element on average.
  const std::uint64_t all = counters.at("words_of_all_threads"), elements = counters.at("output_elements");
  const std::uint64_t busiest = counters.at("most_words_of_a_thread") * elements;
  if (busiest > most_work_of_a_thread * all)
    return "one thread loads and stores as much as " + std::to_string((busiest + all - 1) / all) +
           " elements of the result take on average" + limit(most_work_of_a_thread);
  return missed_lanes(counters);
}

struct LaunchRecord;
RandomStream fresh_stream();  // Bench::draw(): a stream of its own for each draw
const LaunchRecord& check(Trial trial);
void check_technique(Trial trial, const std::function<std::string(const Counters&)>& missed, bool may_follow_shared = true);

// What makes the run of a check: `judge::MakesRun<Shape> exact_trial, close_trial;` declares two such functions.
template <class Shape, class Run = Trial>
using MakesRun = Run(Shape shape, RandomStream random);

// A check of one shape or of several, as a lab's tests call it. It runs the submission once for each shape, on what `make` draws for it,
// and ends the Catch2 case at the first run that fails. With `missed`, its traffic is counted, and it has to use a technique besides.
template <class Shape, class Run>
class Check {
 public:
  using Make = Run (*)(Shape, RandomStream);
  using Missed = std::string (*)(Shape, const Counters&);
  constexpr explicit Check(Make make, Missed missed = nullptr) : make_(make), missed_(missed) {}

  void operator()(Shape shape) const {
    if (missed_ == nullptr)
      check(make_(shape, fresh_stream()));
    else if constexpr (std::is_same_v<Run, Trial>)
      check_technique(make_(shape, fresh_stream()), [&](const Counters& counters) { return missed_(shape, counters); });
  }
  void operator()(const std::vector<Shape>& shapes) const {
    for (const Shape& shape : shapes) (*this)(shape);
  }

 private:
  Make make_;
  Missed missed_;
};
template <class Shape, class Run>
Check(Run (*)(Shape, RandomStream)) -> Check<Shape, Run>;
template <class Shape>
Check(Trial (*)(Shape, RandomStream), std::string (*)(Shape, const Counters&)) -> Check<Shape, Trial>;

// Shapes whose `sides` are from those of `least` to those of `most`. They follow from the judge's key.
template <class Shape, class... Side>
std::vector<Shape> random_shapes(int count, const Shape& least, const Shape& most, Side Shape::*... sides) {
  RandomStream random = fresh_stream();
  std::vector<Shape> shapes(static_cast<std::size_t>(count));
  for (Shape& shape : shapes) ((shape.*sides = random.between(least.*sides, most.*sides)), ...);
  return shapes;
}

// Nine shapes: each side is `side` - 1, `side` or `side` + 1, in every combination.
template <class Shape>
std::vector<Shape> shapes_around(int side) {
  std::vector<Shape> shapes;
  for (int one = side - 1; one <= side + 1; ++one) {
    for (int other = side - 1; other <= side + 1; ++other) shapes.push_back({one, other});
  }
  return shapes;
}

}  // namespace tilelab::judge
