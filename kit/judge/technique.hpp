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

// Global memory, and local arrays that a GPU keeps in local memory, which is no nearer.
inline std::uint64_t loaded_bytes(const Counters& counters) { return counters.at("global_load_bytes") + counters.at("local_load_bytes"); }
inline std::uint64_t stored_bytes(const Counters& counters) { return counters.at("global_store_bytes") + counters.at("local_store_bytes"); }

// Why the launch does not use threads as a GPU needs it; empty: it does.
inline std::string missed_parallelism(const Counters& counters) {
  const std::uint64_t most = counters.at("most_elements_of_a_thread");
  if (most <= most_elements_of_a_thread) return {};
  return "one thread stores " + std::to_string(most) + " elements of the result; at most " + std::to_string(most_elements_of_a_thread) +
         " earn these points. Share the work among more threads.";
}

}  // namespace tilelab::judge
