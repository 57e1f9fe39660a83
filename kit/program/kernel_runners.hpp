// The kernels of a program, each in a runner of its own. A launch runs to its end before the program goes on; the memory that it uses is
// mapped and not copied.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "judge/process/runner_process.hpp"
#include "program/memory/device_memory.hpp"
#include "program/memory/pending_work.hpp"
#include "program/memory/repeated_launches.hpp"
#include "program/program_description.hpp"
#include "protocol/json/json_text.hpp"
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
  KernelRunners(const ProgramDescription& program, DeviceMemory& memory, const TextureTable& textures)
      : limits_(program.limits), settings_(program.options), followed_(program.trace), memory_(memory), textures_(textures),
        repeated_(memory, most_kept(program)) {}

  // `variables`: those of the kernel are all there.
  LaunchOutcome run(const KernelLaunch& launch, Variables& variables, std::chrono::milliseconds left) {
    LaunchOutcome outcome;
    const protocol::LaunchRequest asked = request_of(launch, variables, outcome);
    const std::string request = json_text(asked);
    // Two kernels may be asked for the same.
    if (const protocol::LaunchReply* known = repeated_.again(*launch.kernel + ' ' + request)) {
      outcome.reply = *known;
      return outcome;
    }
    const auto begun = std::chrono::steady_clock::now();
    const auto files = memory_.files();
    const auto limit = std::chrono::milliseconds(limits_.clock_ms) * protocol::wall_clock_factor + std::chrono::seconds(5);
    const judge::Answer answer = runner_of(launch).ask(request, std::min(limit, left), std::vector<int>(files.begin(), files.end()));
    using Kind = judge::Answer::Kind;
    if (answer.kind == Kind::reply) {
      if (auto reply = judge::read_reply(answer.text, protocol::program_printed_bytes)) {
        outcome.reply = std::move(*reply);
        std::erase_if(outcome.reply.uses, [&](const protocol::BufferUse& use) { return use.buffer >= outcome.buffers.size(); });
        if (outcome.reply.trace) measure(*outcome.reply.trace, asked.memory->buffers);
        if (launch.may_overlap) read_touched(outcome);
        const auto took = std::chrono::steady_clock::now() - begun;
        repeated_.ran(outcome.reply, took, effects_of(*asked.memory, outcome.reply, outcome.buffers));
        return outcome;
      }
    }
    outcome.reply.status = answer.kind == Kind::timeout ? protocol::Status::timeout : protocol::Status::crash;
    outcome.is_ours = answer.kind == Kind::never_started || answer.kind == Kind::died;
    outcome.trouble = judge::tame(answer.kind == Kind::reply ? "the runner sent an invalid answer" : answer.text, 1000);
    return outcome;
  }

  // See RepeatedLaunches.
  void memory_may_change() { repeated_.memory_may_change(); }

  // The place of a parameter that points to this allocation; nothing: none does. Of several, one that points to its first byte.
  static std::optional<std::size_t> parameter_for(const KernelLaunch& launch, const Allocation& one) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      if (!launch.description->parameters[i].is_pointer) continue;
      const std::uint64_t pointer = pointer_in(launch, i);
      if (pointer == one.address) return i;
      if (!found && pointer - one.address < one.bytes) found = i;
    }
    return found;
  }
  static std::uint64_t pointer_in(const KernelLaunch& launch, std::size_t parameter) {
    std::uint64_t pointer = 0;
    std::memcpy(&pointer, launch.arguments.at(parameter).data(), sizeof pointer);  // read_program: a pointer has eight bytes
    return pointer;
  }

 private:
  struct Living {
    std::string kernel;
    std::unique_ptr<judge::RunnerProcess> runner;
  };
  using ProgramBuffer = protocol::ProgramBuffer;
  static constexpr std::size_t most_runners = 16;  // that wait for the next launch
  judge::RunnerProcess& runner_of(const KernelLaunch& launch) {
    const auto found = std::ranges::find_if(living_, [&](const Living& one) { return one.kernel == *launch.kernel; });
    if (found != living_.end()) {
      living_.splice(living_.begin(), living_, found);
    } else {
      if (living_.size() >= most_runners) living_.pop_back();
      living_.push_front({*launch.kernel, std::make_unique<judge::RunnerProcess>(launch.description->argv)});
    }
    return *living_.front().runner;
  }
  // The file is as it was before the launch: a page that nobody touched is none.
  void read_touched(LaunchOutcome& outcome) const {
    for (protocol::BufferUse& use : outcome.reply.uses) {
      const Allocation& one = *outcome.buffers[use.buffer];
      const std::size_t first = std::min(use.read.first, use.written.first);
      const std::size_t end = std::min(std::max(use.read.end, use.written.end), one.bytes);
      if (first >= end) continue;
      if (auto runs = runs_of(memory_.touched(one), first / 4, (end + 3) / 4))
        use.touched = std::make_shared<const TouchedRuns>(std::move(*runs));
    }
    for (const Allocation* one : outcome.buffers) memory_.forget_touched(*one);
  }
  protocol::LaunchRequest request_of(const KernelLaunch& launch, Variables& variables, LaunchOutcome& outcome) {
    protocol::LaunchRequest request;
    request.config = launch.config;
    request.cooperative = launch.cooperative;
    request.event_budget = limits_.event_budget;
    request.clock_ms = limits_.clock_ms;
    request.order_seed = settings_.order_seed;
    request.reversed = settings_.reversed;
    request.traffic = settings_.traffic;
    request.allow_same_value_writes = settings_.allow_same_value_writes;
    request.tell_same_value_writes = settings_.tell_same_value_writes;
    request.early_return_is_error = settings_.early_return_is_error;
    if (followed_ && followed_->launch == launch.number) {
      request.trace = followed_->of;
      request.reversed = followed_->reversed;
    }
    for (std::size_t i = 0; i < launch.arguments.size(); ++i)
      request.arguments.push_back(argument_of(launch.description->parameters[i], launch.arguments[i]));
    protocol::ProgramMemory& memory = request.memory.emplace();
    std::map<const Allocation*, std::size_t> places;
    memory_.for_each_live([&](Allocation& one) {
      places[&one] = memory.buffers.size();
      if (&one == memory_.heap()) {
        memory.heap = memory.buffers.size();
        memory.heap_limit = memory_.heap_limit();
      }
      memory.buffers.push_back(buffer_of(launch, one));
      outcome.buffers.push_back(&one);
    });
    memory.follows_touches = launch.may_overlap;
    memory.textures = textures_with(places);
    for (const KernelVariable& one : launch.description->variables) {
      ModuleVariable& variable = variables.at(one.name);
      memory.variables.push_back({one.name, places.at(variable.memory), variable.has_value});
      variable.has_value = true;
    }
    return request;
  }
  // A kernel reaches an array through textures, which only read, and through surfaces.
  void name_texels(protocol::ProgramBuffer& buffer, Allocation& one) const {
    const ArrayShape& shape = *one.shape;
    if (!shape.is_mipmapped()) {
      buffer.texels = shape.texels(shape.levels().front());
      if (shape.dimensions() < 3 && shape.levels().front().extent[2] > 1)
        buffer.texels.insert(buffer.texels.begin(), shape.levels().front().extent[2]);
    }
    buffer.element = "texel";
    buffer.element_bytes = shape.format().texel_bytes();
    if (textures_.has_surface_of(one)) return;
    if (!one.is_set) one.is_set = all_set(one.marks, 0, one.bytes);
    buffer.only_read = one.is_set;
  }
  // CUDA's registers hold eight bytes of an argument; a parameter is handed over as an object of its pieces.
  static protocol::Argument argument_of(const KernelParameter& parameter, const std::vector<unsigned char>& bytes) {
    protocol::Argument argument = parameter;
    argument.role = protocol::Role::object;
    argument.bytes = bytes.size();
    argument.words.resize((bytes.size() + 7) / 8);
    std::memcpy(argument.words.data(), bytes.data(), bytes.size());
    return argument;
  }

  // Whether an argument that is no pointer holds an address inside the allocation: an object with pointers in it.
  static bool holds_address(const std::vector<unsigned char>& bytes, const Allocation& one) {
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      if (word - one.address < one.bytes) return true;
    }
    return false;
  }

  // For RepeatedLaunches: a part of the device's memory, and of the machine's. Where a judge asks where each result came from, every launch
  // runs.
  static std::size_t most_kept(const ProgramDescription& program) {
    const auto pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    if (!program.transfer_log.empty() || pages <= 0 || page <= 0) return 0;
    return std::min(program.limits.memory_bytes / 4, static_cast<std::size_t>(pages) / 8 * static_cast<std::size_t>(page));
  }

  // How long an array is: the runner knows buffers of a program without it. Of two with one name nobody knows which is meant.
  static void measure(protocol::Trace& trace, const std::vector<ProgramBuffer>& buffers) {
    for (protocol::TracedArray& array : trace.arrays) {
      const auto has_its_name = [&](const ProgramBuffer& one) { return one.name == array.name; };
      if (array.space != "global" || !array.dimensions.empty() || std::ranges::count_if(buffers, has_its_name) != 1) continue;
      const ProgramBuffer& buffer = *std::ranges::find_if(buffers, has_its_name);
      if (buffer.named_from == 0 && buffer.bytes >= array.element_bytes) array.dimensions = {buffer.bytes / array.element_bytes};
    }
  }
  std::vector<protocol::ProgramTexture> textures_with(const std::map<const Allocation*, std::size_t>& places) const {
    std::vector<protocol::ProgramTexture> all;
    textures_.for_each([&](const protocol::ProgramTexture& made) {
      const Allocation* const shown = memory_.containing(made.address);
      const auto place = places.find(shown);
      if (place != places.end()) all.emplace_back(made).buffer = place->second;
      if (place == places.end()) all.push_back(made);
    });
    return all;
  }
  // The detectors may treat a buffer as an input, which is faster, only if the kernel has no other way to it than a pointer to const. An
  // input of a launcher is one in any case: a write to it is a mistake.
  protocol::ProgramBuffer buffer_of(const KernelLaunch& launch, Allocation& one) const {
    ProgramBuffer buffer;
    buffer.name = "memory#" + std::to_string(one.index);
    buffer.address = one.address;
    buffer.bytes = one.bytes;
    buffer.file = one.file();
    buffer.offset = one.offset;
    buffer.marks = one.marks_offset;
    if (one.shape) {
      name_texels(buffer, one);
    } else if (const auto place = parameter_for(launch, one)) {
      const KernelParameter& parameter = launch.description->parameters[*place];
      buffer.name = parameter.name;
      buffer.named_from = pointer_in(launch, *place) - one.address;
      if (parameter.element_bytes != 0) {
        buffer.element = parameter.element;
        buffer.element_bytes = parameter.element_bytes;
      }
      bool only_read = true;
      for (std::size_t i = 0; i < launch.arguments.size() && only_read; ++i) {
        const KernelParameter& other = launch.description->parameters[i];
        if (other.is_pointer)
          only_read = other.only_reads || pointer_in(launch, i) - one.address >= one.bytes;
        else
          only_read = !holds_address(launch.arguments[i], one);
      }
      if ((only_read || one.is_input) && !one.is_set) one.is_set = all_set(one.marks, 0, one.bytes);
      buffer.only_read = (only_read || one.is_input) && one.is_set;
    }
    return buffer;
  }

  const ProgramLimits& limits_;
  const LaunchSettings& settings_;
  const std::optional<FollowedLaunch>& followed_;
  DeviceMemory& memory_;
  const TextureTable& textures_;
  RepeatedLaunches repeated_;
  std::list<Living> living_;  // the one used last is the first
};

}  // namespace tilelab::program
