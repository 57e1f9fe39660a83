// A submission that brings host code: a whole program or a launcher. kit/program_judge has the only kind there is. A judge that is linked
// without it judges kernels alone, and says so if it is given such a submission.
#pragma once

#include <memory>
#include <string>

#include "judge/bench.hpp"
#include "judge/decision/launch_judge.hpp"
#include "judge/report/record.hpp"
#include "judge/trial.hpp"

namespace tilelab::judge {

class HostCode {
 public:
  virtual ~HostCode() = default;

  // From now on its runs get the time that this bench has left for them.
  virtual void share_time_of(const Bench& bench) = 0;

  // One run of its launcher. Throws std::runtime_error or nlohmann::json::exception where something of ours fails.
  virtual LaunchRecord judge(const Trial& trial, const LaunchOptions& options) const = 0;
};

// Reads the file that describes the submission. Throws std::runtime_error or nlohmann::json::exception.
using HostCodeReader = std::unique_ptr<HostCode> (*)(const std::string& path);

// For a static variable of whoever can read it; always true.
bool register_host_code(HostCodeReader reader);

// Calls the registered reader. Throws std::runtime_error if there is none.
std::unique_ptr<HostCode> read_host_code(const std::string& path);

}  // namespace tilelab::judge
