#include "program_judge/program_bench.hpp"

#include <stdexcept>

#include <catch2/catch_test_macros.hpp>

#include "judge/bench.hpp"
#include "program_judge/program_judge.hpp"

namespace tilelab::judge {
namespace {

const BuiltProgram* current = nullptr;

}  // namespace

void use_program(const BuiltProgram* program) { current = program; }

const LaunchRecord& check(const ProgramTrial& trial) {
  if (current == nullptr) throw std::logic_error("no program: this lab's submissions are whole programs");
  const LaunchRecord& launch = bench().run(trial.shape, trial.inputs, [&] { return judge_program(*current, trial); });
  if (launch.verdict != Verdict::pass) FAIL(launch.message);
  SUCCEED();
  return launch;
}

}  // namespace tilelab::judge
