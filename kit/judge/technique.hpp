// What technique checks ask of the counters of a launch, whatever the problem: how much it really loads and stores, and whether
// its work is spread over threads. A counter that is missing is ours to mend: std::out_of_range.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tilelab::judge {

using Counters = std::map<std::string, std::uint64_t>;

// So many elements of an output one thread may compute: a register tile of 8 by 8.
inline constexpr std::uint64_t most_elements_of_a_thread = 64;
// And the work of so many on average: threads that compute 64 each need not all load the same share of the tiles.
inline constexpr std::uint64_t most_work_of_a_thread = 96;

// Global memory, and local arrays that a GPU keeps in local memory, which is no nearer.
inline std::uint64_t loaded_bytes(const Counters& counters) { return counters.at("global_load_bytes") + counters.at("local_load_bytes"); }
inline std::uint64_t stored_bytes(const Counters& counters) { return counters.at("global_store_bytes") + counters.at("local_store_bytes"); }

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
  return {};
}

}  // namespace tilelab::judge
