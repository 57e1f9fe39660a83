// Registers what judges host code with the judges that are linked with it.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/host_code.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/launcher_judge.hpp"
#include "program_judge/program_bench.hpp"
#include "program_judge/program_judge.hpp"

namespace tilelab::judge {
namespace {

class BuiltHostCode final : public HostCode {
 public:
  explicit BuiltHostCode(BuiltProgram program) : program_(std::move(program)) { use_program(&program_); }
  ~BuiltHostCode() override {
    use_program(nullptr);
    put_down_programs(nullptr);
  }
  BuiltHostCode(const BuiltHostCode&) = delete;
  BuiltHostCode& operator=(const BuiltHostCode&) = delete;

  void share_time_of(const Bench& bench) override {
    program_.share = [&bench] { return RunShare{bench.time_for_a_run(), bench.halvings()}; };
  }

  LaunchRecord judge(const Trial& trial, const LaunchOptions& options) const override { return judge_launcher(program_, trial, options); }

  void collect() override { put_down_programs(&trials_); }

  LaunchRecord watch(const CollectedTrials& launchers, const WatchedRun& asked) const override {
    const auto followed = followed_launch(asked);
    if (program_.launcher)
      return watch_launcher(program_, launchers.to_trace(asked.shape, asked.usual, asked.inputs, most_elements_of_a_run),
                            asked.whole_reversed, followed);
    std::vector<AskedRun> runs;
    for (const ProgramTrial& one : trials_) runs.push_back(asked_run(one));
    const std::size_t chosen = run_to_trace(runs, asked.shape, asked.usual, asked.inputs, most_elements_of_a_run);
    return watch_program(program_, trials_[chosen], asked.whole_reversed, followed);
  }

 private:
  // As program.json says it; null: none is followed.
  static nlohmann::json followed_launch(const WatchedRun& asked) {
    if (asked.launch == 0 || !asked.of.trace) return nullptr;
    return {{"launch", asked.launch}, {"of", *asked.of.trace}, {"reversed", asked.of.reversed}};
  }

  BuiltProgram program_;
  std::vector<ProgramTrial> trials_;  // that were put down
};

const bool host_code_registered = register_host_code(
    [](const std::string& path) -> std::unique_ptr<HostCode> { return std::make_unique<BuiltHostCode>(read_program_file(path)); });

}  // namespace
}  // namespace tilelab::judge
