// The kernels of a program, each in a runner of its own. A launch runs to its end before the program goes on; the memory that it uses is
// mapped and not copied.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/process/runner_process.hpp"
#include "program/memory/device_memory.hpp"
#include "program/memory/repeated_launches.hpp"
#include "program/program_description.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

struct KernelLaunch {
  std::uint64_t number = 0;             // counts the program's launches from 1
  const std::string* kernel = nullptr;  // mangled
  const KernelDescription* description = nullptr;
  protocol::LaunchConfig config;
  bool cooperative = false;
  bool may_overlap = false;                           // with launches in other streams
  std::vector<std::vector<unsigned char>> arguments;  // of each parameter its bytes
};

// A variable of the module, as memory of the device.
struct ModuleVariable {
  Allocation* memory = nullptr;
  bool has_value = false;
};

struct LaunchOutcome {
  protocol::LaunchReply reply;
  std::string trouble;               // no honest runner answered: why
  bool is_ours = false;              // … and it is not the program's fault
  std::vector<Allocation*> buffers;  // what the numbers in reply.uses stand for
};

class KernelRunners {
 public:
  using Variables = std::map<std::string, ModuleVariable>;
  KernelRunners(const ProgramDescription& program, DeviceMemory& memory, const TextureTable& textures);

  // `variables`: those of the kernel are all there.
  LaunchOutcome run(const KernelLaunch& launch, Variables& variables, std::chrono::milliseconds left);

  // See RepeatedLaunches.
  void memory_may_change() { repeated_.memory_may_change(); }

  // The place of a parameter that points to this allocation; nothing: none does. Of several, one that points to its first byte.
  static std::optional<std::size_t> parameter_for(const KernelLaunch& launch, const Allocation& one);
  static std::uint64_t pointer_in(const KernelLaunch& launch, std::size_t parameter);

 private:
  struct Living {
    std::string kernel;
    std::unique_ptr<judge::RunnerProcess> runner;
  };
  static constexpr std::size_t most_runners = 16;  // that wait for the next launch
  judge::RunnerProcess& runner_of(const KernelLaunch& launch);
  void read_touched(LaunchOutcome& outcome) const;
  protocol::LaunchRequest request_of(const KernelLaunch& launch, Variables& variables, LaunchOutcome& outcome);
  void name_texels(protocol::ProgramBuffer& buffer, Allocation& one) const;
  std::vector<protocol::ProgramTexture> textures_with(const std::map<const Allocation*, std::size_t>& places) const;
  protocol::ProgramBuffer buffer_of(const KernelLaunch& launch, Allocation& one) const;

  const ProgramLimits& limits_;
  const LaunchSettings& settings_;
  const std::optional<FollowedLaunch>& followed_;
  DeviceMemory& memory_;
  const TextureTable& textures_;
  RepeatedLaunches repeated_;
  std::list<Living> living_;  // the one used last is the first
};

}  // namespace tilelab::program
