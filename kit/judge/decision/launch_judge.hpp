// Runs one trial and decides. The verdict is the worst of three: what the runner reported, whether inputs are unchanged, and
// whether outputs hold the expected values. What the runner says can only make a verdict worse, never better.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

// How a trial is launched beyond what it says itself: the order of blocks and threads, a lab's rules, and what is watched.
using LaunchOptions = protocol::LaunchRequest;

enum class Ending {
  whole,       // the kernel ran to its end: its buffers can be judged
  cut_short,   // the launch ended, but a finding stopped some threads: missing elements in outputs say nothing
  unfinished,  // the launch did not end: its buffers are not its result
  nothing      // there is no usable reply; record.message says why
};

// What a runner's answer alone makes of a launch, from its status and findings: see answer_record.cpp.

// Whether a runner gave no answer, or one that says that the machine failed: nothing is known of the submission then.
bool is_fault_of_ours(const Answer& answer);
// Sets the verdict. For a launch that did not complete, it also sets `message` to what the runner said.
Ending take_answer(LaunchRecord& record, Answer answer);
// One sentence about the worst thing that happened. If nothing else says it, this is record.message.
std::string reason(const LaunchRecord& record);
// Adds the results of the same launch in another order: findings that are not known yet, and the verdict if it is worse.
void take_over(LaunchRecord& record, LaunchRecord other_order);

// Every input read once, every output written once.
std::uint64_t compulsory_bytes(const Trial& trial);

// What a kernel, and a launcher, is judged by alike: an input that no longer holds what it held, and a result held against what it must
// hold. Of several wrong results the first is described.
protocol::Finding changed_input(const std::string& name, const std::string& by);
void compare_result(LaunchRecord& record, const Operand& result, const std::vector<double>& got);

LaunchRecord judge_launch(RunnerProcess& runner, const Trial& trial, const LaunchOptions& options = {});

}  // namespace tilelab::judge
