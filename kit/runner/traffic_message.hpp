// The part of the protocol that carries memory traffic: what each source line of a launch asked of memory, counted as
// Nsight Compute counts it and under its names. Only a judge that asks for it gets it; it costs time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tilelab::protocol {

inline constexpr std::size_t most_traffic_lines = 1000;

// Metrics by name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" and the others of nsight_metrics.cpp.
using Metrics = std::map<std::string, std::uint64_t>;

struct LineTraffic {
  std::string file;
  int line = 0;  // 0: unknown
  Metrics metrics;
};

struct Traffic {
  Metrics metrics;                 // of the whole launch
  std::vector<LineTraffic> lines;  // the submission's, that access memory; sorted
  bool complete = false;           // false: more happened than was counted
};

// Reading throws nlohmann::json::exception on anything that is not the shape above.
void to_json(nlohmann::json&, const Traffic&);
void from_json(const nlohmann::json&, Traffic&);

}  // namespace tilelab::protocol
