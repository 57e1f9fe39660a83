// The part of the protocol that carries memory traffic: what each source line of a launch requested from memory, counted as
// Nsight Compute counts it and under its names. Counting takes time, so it is done only if a judge asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tilelab::protocol {

inline constexpr std::size_t most_traffic_lines = 1000;

// Metrics by name: "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum" and the others of runner/report/launch_traffic.cpp.
using Metrics = std::map<std::string, std::uint64_t>;

struct LineTraffic {
  std::string file;
  int line = 0;  // 0: unknown
  Metrics metrics;
};

struct Traffic {
  Metrics metrics;                 // of the whole launch
  std::vector<LineTraffic> lines;  // the submission's lines that access memory; sorted
  bool complete = false;           // false: the launch did more than was counted
};

// Reading throws nlohmann::json::exception if the JSON does not have the shape above.
void to_json(nlohmann::json&, const Traffic&);
void from_json(const nlohmann::json&, Traffic&);

}  // namespace tilelab::protocol
