// What a launcher asks of the device, written down and not done: no kernel runs here. gpu-runner does the same again where it times the
// launcher (kit/gpu/replay.hpp), so that no host code of a student's is near the GPU then. Addresses are those of program/host_request.hpp.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "program/memory/device_memory.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::program {

// Rows of bytes in one allocation.
struct Rows {
  Allocation* memory = nullptr;  // null: the program's own memory
  std::size_t offset = 0, rows = 0, row_bytes = 0, pitch = 0;
  std::size_t extent() const { return (rows - 1) * pitch + row_bytes; }
};

class LaunchPlan {
 public:
  // {"op": …, "stream": …, …}: see kit/gpu/replay.hpp.
  void add(nlohmann::json step) {
    written_ += json_text(step).size();
    if (steps_.size() == most_steps || written_ > most_written) return refuse("it asks for too many launches, copies and the like");
    if (step.contains("stream")) streams_.insert(step["stream"].get<std::uint64_t>());
    steps_.push_back(std::move(step));
  }
  // A copy or a fill, with what else is said of it.
  void add_rows(nlohmann::json step, const Rows& to, const Rows* from = nullptr) {
    if (to.rows > 1 && (to.pitch != to.row_bytes || (from != nullptr && from->pitch != to.row_bytes)))
      return refuse("it copies or fills rows with gaps between them");
    step.update({{"to", to.memory->address + to.offset}, {"bytes", to.rows * to.row_bytes}});
    if (from != nullptr) step["from"] = from->memory->address + from->offset;
    add(std::move(step));
  }
  // Bytes that the host sends: it has made them without knowing any input.
  void sent(std::uint64_t to, const char* bytes, std::size_t count, std::uint64_t stream) {
    if (written_ <= most_written)
      add({{"op", "write"}, {"to", to}, {"content", std::vector<std::uint8_t>(bytes, bytes + count)}, {"stream", stream}});
  }
  // The host waits for this stream, or for all, before it asks for more.
  void join(std::optional<std::uint64_t> stream) {
    if (stream) streams_.insert(*stream);
    for (const std::uint64_t one : stream ? std::set{*stream} : streams_) {
      add({{"op", "record"}, {"event", 0}, {"stream", one}});
      add({{"op", "wait"}, {"event", 0}});
    }
  }
  // Why the plan is not all that the launcher does. The first reason counts.
  void refuse(const std::string& why) {
    if (refusal_.empty()) refusal_ = "a launcher is timed by what it asks of the GPU alone, but " + why;
  }
  // `variables`: KernelRunners::Variables.
  nlohmann::json whole(DeviceMemory& memory, const auto& variables) {
    nlohmann::json all = nlohmann::json::array();
    std::size_t allocated = 0;
    memory.for_each([&](const Allocation& one) {
      all.push_back({{"address", one.address}, {"bytes", one.bytes}});
      if (one.operand != nullptr) all.back()["operand"] = *one.operand;
      if (one.operand == nullptr) allocated += one.bytes;
      for (const auto& [name, variable] : variables)
        if (variable.memory == &one) all.back()["variable"] = name;
    });
    if (allocated > most_allocated) refuse("it allocates more than 4 GiB");
    return {{"steps", steps_}, {"memory", all}, {"refusal", refusal_}};
  }

 private:
  static constexpr std::size_t most_steps = 20'000, most_written = 32u << 20, most_allocated = std::size_t{4} << 30;
  nlohmann::json steps_ = nlohmann::json::array();
  std::set<std::uint64_t> streams_;
  std::string refusal_;
  std::size_t written_ = 0;  // bytes
};

}  // namespace tilelab::program
