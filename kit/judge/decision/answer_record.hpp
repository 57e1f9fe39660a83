// Turns a runner's answer to one launch into a verdict, from its status and findings alone. It does not look at buffers. What a
// runner says can only make a verdict worse, never better.
#pragma once

#include <string>

#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"

namespace tilelab::judge {

enum class Ending {
  whole,       // the kernel ran to its end: its buffers can be judged
  cut_short,   // the launch ended, but a finding stopped some threads: missing elements in outputs say nothing
  unfinished,  // the launch did not end: its buffers are not its result
  nothing      // there is no usable reply; record.message says why
};

// Whether a runner gave no answer, or one that says that the machine failed: nothing is known of the submission then.
bool is_fault_of_ours(const Answer& answer);

// Sets the verdict. For a launch that did not complete, it also sets `message` to what the runner said.
Ending take_answer(LaunchRecord& record, Answer answer);

// One sentence about the worst thing that happened. If nothing else says it, this is record.message.
std::string reason(const LaunchRecord& record);

// Adds the results of the same launch in another order: findings that are not known yet, and the verdict if it is worse.
void take_over(LaunchRecord& record, LaunchRecord other_order);

}  // namespace tilelab::judge
