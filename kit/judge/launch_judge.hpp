// Runs one trial and decides: the worst of what the runner reported, whether inputs stayed as they were, and whether
// outputs hold what they must. The runner's word can only make a verdict worse, never better.
#pragma once

#include <cstdint>
#include <optional>

#include "judge/record.hpp"
#include "judge/runner_process.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

struct LaunchOptions {
  std::optional<std::uint64_t> order_seed;      // given: blocks and threads run in this shuffled order
  std::optional<protocol::TraceRequest> trace;  // given: the record holds what this block did
  bool traffic = false;                         // the record counts requests, sectors and wavefronts
  bool allow_same_value_writes = false;         // plain writes of one value to one place are no race
};

LaunchRecord judge_launch(RunnerProcess& runner, const Trial& trial, const LaunchOptions& options = {});

}  // namespace tilelab::judge
