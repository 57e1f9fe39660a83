// What a runner's answer to one launch comes to before any buffer is looked at: the verdict that its status and findings
// ask for. A runner's word can only make a verdict worse, never better.
#pragma once

#include <string>

#include "judge/record.hpp"
#include "judge/runner_process.hpp"

namespace tilelab::judge {

enum class Ending {
  whole,       // the kernel ran to its end: its buffers can be judged
  cut_short,   // it ended, but a finding stopped threads on the way: what outputs hold says nothing about it
  unfinished,  // it did not end, and its buffers are not what it left
  nothing      // there is no reply to look into, and record.message says why
};

// Fills in the verdict, and in `message` what the runner said of a launch that did not complete.
Ending take_answer(LaunchRecord& record, Answer answer);

// One sentence for the worst thing that happened; record.message where nothing else tells.
std::string reason(const LaunchRecord& record);

// Adds what the same launch came to in another order: findings that are not known yet, and the verdict where it is worse.
void take_over(LaunchRecord& record, LaunchRecord other_order);

}  // namespace tilelab::judge
