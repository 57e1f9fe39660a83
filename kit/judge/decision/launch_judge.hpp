// Runs one trial and decides. The verdict is the worst of three: what the runner reported, whether inputs are unchanged, and
// whether outputs hold the expected values. What the runner says can only make a verdict worse, never better.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

struct LaunchOptions {
  std::optional<std::uint64_t> order_seed;      // if set: blocks and threads run in this shuffled order
  bool reversed = false;                        // blocks and threads run in the opposite order
  std::optional<protocol::TraceRequest> trace;  // if set: the record holds what this block did
  bool traffic = false;                         // the record counts requests, sectors and wavefronts
  bool allow_same_value_writes = false;         // plain writes of the same value to the same place are no race
  bool early_return_is_error = false;           // returning before a barrier at which others of the block wait
};

// Every input read once, every output written once.
std::uint64_t compulsory_bytes(const Trial& trial);

// What a kernel, and a launcher, is judged by alike: an input that no longer holds what it held, and a result held against what it must
// hold. Of several wrong results the first is described.
protocol::Finding changed_input(const std::string& name, const std::string& by);
void compare_result(LaunchRecord& record, const Operand& result, const std::vector<double>& got);

LaunchRecord judge_launch(RunnerProcess& runner, const Trial& trial, const LaunchOptions& options = {});

}  // namespace tilelab::judge
