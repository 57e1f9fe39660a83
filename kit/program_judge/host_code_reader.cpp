// Registers what judges host code with the judges that are linked with it.
#include <memory>
#include <string>
#include <utility>

#include "judge/host_code.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/launcher_judge.hpp"
#include "program_judge/program_bench.hpp"

namespace tilelab::judge {
namespace {

class BuiltHostCode final : public HostCode {
 public:
  explicit BuiltHostCode(BuiltProgram program) : program_(std::move(program)) { use_program(&program_); }
  ~BuiltHostCode() override { use_program(nullptr); }
  BuiltHostCode(const BuiltHostCode&) = delete;
  BuiltHostCode& operator=(const BuiltHostCode&) = delete;

  void share_time_of(const Bench& bench) override {
    program_.share = [&bench] { return RunShare{bench.time_for_a_run(), bench.halvings()}; };
  }

  LaunchRecord judge(const Trial& trial, const LaunchOptions& options) const override { return judge_launcher(program_, trial, options); }

 private:
  BuiltProgram program_;
};

const bool host_code_registered = register_host_code(
    [](const std::string& path) -> std::unique_ptr<HostCode> { return std::make_unique<BuiltHostCode>(read_program_file(path)); });

}  // namespace
}  // namespace tilelab::judge
