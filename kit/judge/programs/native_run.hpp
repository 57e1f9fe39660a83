// A run of a program on a real GPU. It says for itself how it ended, and what it leaves is read by the judge; nothing else is known of
// it: which kernels ran and where bytes came from is for a run under the broker to say.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/program_bench.hpp"
#include "judge/programs/brokered_run.hpp"
#include "judge/programs/operand_files.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"
#include "protocol/channel.hpp"

namespace tilelab::judge {

// What a run left, judged. A function that can be called twice.
using NativeVerdict = std::function<LaunchRecord(const BrokeredRun&)>;

// One run with these files in its folder. A program that is right in a process that it shares with other runs is right; otherwise the run
// is made again in a process of its own, which alone decides. `program.native` is there. Throws std::system_error where the program cannot
// be started, or the lock on the GPU cannot be taken.
LaunchRecord judge_native_run(const BuiltProgram& program, const std::vector<DataFile>& files, const std::vector<std::string>& arguments,
                              const NativeVerdict& judge);

// Shares the GPU with others while it lives: a kernel that is to be timed waits. Taken as grader/system/gpu_lock.py takes it: the gate
// first, which a program that wants the GPU alone holds while it waits.
Descriptor shared_device(const NativeProgram& program);

// Both have the keys of run.json, all lists empty, and "native": true. `status`: waitpid's, or a program's own.
nlohmann::json record_of_end(OutputProcess::Drained drained, int status, std::chrono::milliseconds most);
nlohmann::json record_of_exit(int status);

// A program on a real GPU as one process that runs it again and again, a turn for each run: making a context of the GPU takes far longer
// than most runs. kit/gpu/program_turns.cpp is the other end, in the hostile program: what it says ends a turn, and means no more than
// what a program of its own would say with its exit status.
class NativeSession {
 public:
  NativeSession();
  ~NativeSession();
  // One run, in the process that is there, or in a new one. `program.native` is there. Nothing where turns were given up. Throws
  // std::system_error where the program cannot be started, or the lock on the GPU cannot be taken.
  std::optional<BrokeredRun> turn(const BuiltProgram& program, const std::vector<DataFile>& files,
                                  const std::vector<std::string>& arguments);
  // A turn went wrong, and only a process of its own shows whether it is the program's doing. No other turn follows.
  void give_up();

 private:
  void start(const BuiltProgram& program);
  void end();
  bool ask(const std::vector<std::string>& arguments) const;
  std::optional<int> told() const;  // the status of a turn that is over

  Descriptor device_, channel_;
  std::unique_ptr<OutputProcess> child_;
  bool is_given_up_ = false;
};

// A launcher on a real GPU: its operands as files in the folder in which it runs. kit/host/native_launcher.hpp is the other side. The
// program may write what it likes there, so sizes and kinds of files are checked, and where a result came from is not known here.

// What lies in the folder before the run.
std::vector<DataFile> native_files(const std::vector<const Operand*>& operands, bool on_host);

struct NativeResults {
  std::vector<OperandContent> contents;  // all bytes count as written by a kernel
  std::string trouble;                   // why there are none
};
NativeResults native_results(const std::vector<const Operand*>& operands, const DataFolder& folder);

// What CUDA said where the run failed; empty: nothing.
std::string native_error(const DataFolder& folder);

}  // namespace tilelab::judge
