// What a launcher asks of the device, written down and not done: no kernel runs here. gpu-runner does the same again where it times the
// launcher (kit/gpu/replay.hpp), so that no host code of a student's is near the GPU then. Addresses are those of program/host_request.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "program/memory/device_memory.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::program {

class LaunchPlan {
 public:
  // {"op": …, …}: see kit/gpu/replay.hpp.
  void add(nlohmann::json step) {
    written_ += json_text(step).size();
    if (steps_.size() == most_steps || written_ > most_written) return refuse("it asks for too many launches, copies and the like");
    steps_.push_back(std::move(step));
  }
  // Rows of bytes, one after another, with what else is said of each.
  void add_rows(const nlohmann::json& step, std::uint64_t to, std::size_t to_pitch, std::uint64_t from, std::size_t from_pitch,
                std::size_t rows, std::size_t row_bytes) {
    if (to_pitch == row_bytes && (from == 0 || from_pitch == row_bytes)) row_bytes *= std::exchange(rows, 1);
    for (std::size_t row = 0; row < rows && refusal_.empty(); ++row) {
      nlohmann::json one = step;
      one.update({{"to", to + row * to_pitch}, {"bytes", row_bytes}});
      if (from != 0) one["from"] = from + row * from_pitch;
      add(std::move(one));
    }
  }
  // Bytes that the host sends: it has made them without knowing any input.
  void sent(std::uint64_t to, const char* bytes, std::size_t count, std::uint64_t stream) {
    if (written_ > most_written) return;  // and refused
    std::string content;
    for (std::size_t i = 0; i < count; ++i)
      for (const int half : {bytes[i] >> 4, +bytes[i]}) content += "0123456789abcdef"[half & 15];
    add({{"op", "write"}, {"to", to}, {"content", content}, {"stream", stream}});
  }
  // Why the plan is not all that the launcher does. The first reason counts.
  void refuse(const std::string& why) {
    if (refusal_.empty()) refusal_ = why;
  }
  // `variables`: KernelRunners::Variables.
  template <class Variables>
  nlohmann::json whole(DeviceMemory& memory, const Variables& variables) {
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
  std::string refusal_;
  std::size_t written_ = 0;  // bytes
};

}  // namespace tilelab::program
