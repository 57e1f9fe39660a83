// A program on a real GPU as one process that runs it again and again, a turn for each run: making a context of the GPU takes far longer
// than most runs. kit/cuda/program_turns.cpp is the other end, in the hostile program: what it says ends a turn, and means no more than
// what a program of its own would say with its exit status.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program_judge/conducted_run.hpp"
#include "program_judge/program_trial.hpp"
#include "protocol/channel.hpp"

namespace tilelab::judge {

class OutputProcess;

class NativeSession {
 public:
  NativeSession();
  ~NativeSession();
  // One run, in the process that is there, or in a new one. `program.native` is there. Nothing where turns were given up. Throws
  // std::system_error where the program cannot be started, or the lock on the GPU cannot be taken.
  std::optional<ConductedRun> turn(const BuiltProgram& program, const std::vector<DataFile>& files,
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

}  // namespace tilelab::judge
