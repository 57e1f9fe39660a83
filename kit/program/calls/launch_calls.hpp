// The program's calls about kernels: what a kernel takes, and launches.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "program/calls/copy_calls.hpp"
#include "program/host_request.hpp"
#include "program/kernel_runners.hpp"
#include "program/session.hpp"

namespace tilelab::program {

class LaunchCalls {
 public:
  LaunchCalls(Session& session, CopyCalls& copies, KernelRunners::Variables& variables)
      : session_(session), copies_(copies), variables_(variables), runners_(session.description, session.memory, session.textures) {}

  Reply kernel(const HostRequest& request);
  // `left`: of the run's time. Throws RunOver.
  Reply launch(const HostRequest& request, std::chrono::milliseconds left);

  // Another call may have written to memory of the device.
  void memory_may_change() { runners_.memory_may_change(); }

 private:
  [[noreturn]] void refuse(const HostRequest& request, nlohmann::json refusal);
  [[noreturn]] void needs_gpu(const HostRequest& request, const std::string& message);
  const KernelDescription* find(const HostRequest& request, const char* key);
  CudaError refusal(const HostRequest& request, const KernelLaunch& launch, std::string& why) const;
  bool has_variables(const KernelLaunch& launch, std::uint64_t at);
  bool is_launchers_input(const KernelLaunch& launch, const std::string& parameter);
  CudaError take(const HostRequest& request, const KernelLaunch& launch, const LaunchOutcome& outcome);
  void note_uses(const HostRequest& request, const KernelLaunch& launch, const LaunchOutcome& outcome);
  bool is_followed(const KernelLaunch& launch) const;
  void note_trace(const HostRequest& request, const KernelLaunch& launch, const LaunchOutcome& outcome, nlohmann::json findings);
  std::string stray(const HostRequest& request, const KernelLaunch& launch, std::uint64_t address);
  static nlohmann::json asked(const HostRequest& request, const KernelLaunch& launch);
  void write_down(const HostRequest& request, const KernelLaunch& launch, CudaError error, const std::string& status,
                  const std::string& detail);

  Session& session_;
  CopyCalls& copies_;
  KernelRunners::Variables& variables_;
  KernelRunners runners_;
  std::uint64_t made_ = 0;                                     // launches so far
  std::set<std::string> codes_;                                // of the kernels that were launched: who shares code is one
  std::map<std::string, std::uint64_t> allowed_shared_bytes_;  // of kernels that ask for more than others may have
};

}  // namespace tilelab::program
