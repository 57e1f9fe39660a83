// A run of a program on a real GPU. It says for itself how it ended, and what it leaves is read by the judge; nothing else is known of
// it: which kernels ran and where bytes came from is for a run under the conductor to say.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "judge/report/record.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/output_process.hpp"
#include "program_judge/program_trial.hpp"
#include "protocol/channel.hpp"

namespace tilelab::judge {

// What a run left, judged. A function that can be called twice.
using NativeVerdict = std::function<LaunchRecord(const ConductedRun&)>;

// One run with these files in its folder. A program that is right in a process that it shares with other runs is right; otherwise the run
// is made again in a process of its own, which alone decides. `program.native` is there. Throws std::system_error where the program cannot
// be started, or the lock on the GPU cannot be taken.
LaunchRecord judge_native_run(const BuiltProgram& program, const std::vector<DataFile>& files, const std::vector<std::string>& arguments,
                              const NativeVerdict& judge);

// Shares the GPU with others while it lives: a kernel that is to be timed waits. Taken as grader/system/gpu_lock.py takes it: the gate
// first, which a program that wants the GPU alone holds while it waits.
Descriptor shared_device(const NativeProgram& program);

// Both have the keys of run.json, all lists empty, and "native": true. `status`: waitpid's, or a program's own.
nlohmann::json record_of_end(OutputProcess::Drained drained, int status);
nlohmann::json record_of_exit(int status);

}  // namespace tilelab::judge
