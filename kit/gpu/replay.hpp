// A launcher on a GPU, as the list of what it asks of the device (kit/program/launch_plan.hpp): launches, copies, fills, and their order
// in streams. The student's host code ran before, where there is no GPU. Here it can keep no result from call to call, touch no clock,
// see no input and leave nothing running. So the time is that of the device, from the first of these steps until all streams are idle;
// launching from the host and cudaMalloc() are not in it, as where one kernel is timed. Bytes that the host sent lie on the device before.
//
// A step: {"op": "launch", "kernel", "grid", "block", "shared", "arguments": [[bytes]], "stream"}, {"op": "copy", "to", "from", "bytes",
// "stream"}, {"op": "write", "to", "content": [bytes], "stream"}, {"op": "fill", "to", "bytes", "value", "stream"}, {"op": "stream",
// "stream", "nonblocking"}, {"op": "record", "event", "stream"}, {"op": "wait", "event", "stream"}, where without a stream all wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <regex>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/cubin.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/guarded_buffer.hpp"
#include "runner/launch.hpp"

namespace tilelab::cuda {

class Replay {
 public:
  // In the current context, which must be current where this is freed. `operands`: addresses by name. Throws DriverError, and
  // std::runtime_error or nlohmann::json::exception where the plan does not fit the cubin.
  Replay(const Driver& driver, const LoadedModule& module, const std::vector<std::string>& functions, const nlohmann::json& plan,
         const std::map<std::string, DeviceAddress>& operands)
      : driver_(driver), module_(module), functions_(functions), fence_(event(0)) {
    for (const Json& one : plan.at("memory")) {
      const auto bytes = one.at("bytes").get<std::size_t>();
      const bool is_scratch = !one.contains("operand") && !one.contains("variable");
      if (is_scratch) scratch_.emplace_back(driver_, (bytes + 3) / 4 * 4);
      places_[one.at("address").get<std::uint64_t>()] = {bytes, is_scratch ? scratch_.back().address()
                                                                : one.contains("operand")
                                                                    ? operands.at(one.at("operand").get<std::string>())
                                                                    : module_.variable(named(one.at("variable")))};
    }
    for (const Json& one : plan.at("steps")) add(one);
  }
  ~Replay() {
    for (const auto& [number, event] : events_) driver_.event_destroy(event);
    for (const auto& [number, stream] : streams_) driver_.stream_destroy(stream);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Memory that the launcher allocates holds nothing of an earlier call.
  void poison(std::uint32_t word) const {
    for (const GuardedBuffer& one : scratch_) driver_.check(driver_.fill_words(one.address(), word, one.bytes() / 4), "cuMemsetD32");
  }
  // Queues all steps between what the null stream has and what it gets next. `release`: lets the device begin, called where more are to
  // be queued than fit. Returns the driver's first error.
  Result queue(const std::function<void()>& release) const {
    Result result = driver_.event_record(fence_, nullptr);
    if (result == 0) result = wait_everywhere(fence_);
    for (std::size_t i = 0; i < steps_.size() && result == 0; ++i) {
      if (i == queued_at_once) release();
      result = steps_[i]();
    }
    for (const auto& [number, stream] : streams_) {
      if (result == 0) result = driver_.event_record(fence_, stream);
      if (result == 0) result = driver_.stream_wait(nullptr, fence_, 0);
    }
    return result;
  }

 private:
  using Json = nlohmann::json;
  using Bytes = std::vector<std::uint8_t>;
  struct Place {
    std::size_t bytes = 0;
    DeviceAddress there = 0;
  };
  static constexpr unsigned without_time = 2, beside_the_null_stream = 1;  // CUDA's flags
  static constexpr std::size_t queued_at_once = 400;
  static constexpr int usual_shared_bytes = 48 << 10;

  // Where the recorded address leads to here; 0: nowhere.
  DeviceAddress moved(std::uint64_t address) const {
    const auto behind = places_.upper_bound(address);
    if (behind == places_.begin()) return 0;
    const auto& [first, place] = *std::prev(behind);
    return address - first <= place.bytes ? place.there + (address - first) : 0;
  }
  DeviceAddress needed(const Json& address) const {
    const DeviceAddress there = moved(address.get<std::uint64_t>());
    return there != 0 ? there : throw std::runtime_error("a launcher's plan uses memory that it does not name");
  }
  // Pointers in it lead to what is here.
  Bytes moved_bytes(const Json& recorded) const {
    auto bytes = recorded.get<Bytes>();
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, 8);
      if (const DeviceAddress there = moved(word); there != 0) std::memcpy(bytes.data() + at, &there, 8);
    }
    return bytes;
  }
  // nvcc and the host's compiler name what lies in an unnamed namespace in their own ways.
  static std::string plain(const std::string& symbol) {
    static const std::regex unnamed(R"((\(anonymous namespace\)|_INTERNAL_\w*|_GLOBAL__N_\w*)::)");
    return std::regex_replace(demangled(symbol), unnamed, "");
  }
  std::string named(const std::string& symbol) const {
    if (std::ranges::find(functions_, symbol) != functions_.end()) return symbol;
    for (const std::string& name : functions_)
      if (plain(name) == plain(symbol)) return name;
    throw std::runtime_error("nvcc's program has no " + demangled(symbol));
  }
  Stream stream_of(const Json& step) {
    const auto number = step.value("stream", std::uint64_t{0});
    if (number == 0) return nullptr;
    Stream& stream = streams_[number];
    const unsigned flags = step.value("nonblocking", false) ? beside_the_null_stream : 0;
    if (stream == nullptr) driver_.check(driver_.stream_create(&stream, flags), "cuStreamCreate");
    return stream;
  }
  Event event(std::uint64_t number) {
    Event& event = events_[number];
    if (event == nullptr) driver_.check(driver_.event_create(&event, without_time), "cuEventCreate");
    return event;
  }
  Result wait_everywhere(Event event) const {
    Result result = driver_.stream_wait(nullptr, event, 0);
    for (const auto& [number, stream] : streams_)
      if (result == 0) result = driver_.stream_wait(stream, event, 0);
    return result;
  }

  void add(const Json& one) {
    const std::string op = one.at("op");
    const Stream stream = stream_of(one);
    const Event awaited = op == "record" || op == "wait" ? event(one.at("event").get<std::uint64_t>()) : nullptr;
    if (op == "launch") {
      add_launch(one, stream);
    } else if (op == "record") {
      steps_.emplace_back([=, this] { return driver_.event_record(awaited, stream); });
    } else if (op == "wait" && one.contains("stream")) {
      steps_.emplace_back([=, this] { return driver_.stream_wait(stream, awaited, 0); });
    } else if (op == "wait") {
      steps_.emplace_back([=, this] { return wait_everywhere(awaited); });
    } else if (op == "write" || op == "copy") {
      const Bytes content = op == "write" ? moved_bytes(one.at("content")) : Bytes();
      const auto bytes = std::as_bytes(std::span(content));
      if (op == "write") sent_.emplace_back(driver_, std::vector<std::byte>(bytes.begin(), bytes.end()), 0);
      const DeviceAddress to = needed(one.at("to")), from = op == "write" ? sent_.back().address() : needed(one.at("from"));
      const std::size_t count = op == "write" ? content.size() : one.at("bytes").get<std::size_t>();
      steps_.emplace_back([=, this] { return driver_.copy_on_device(to, from, count, stream); });
    } else if (op == "fill") {
      const auto value = static_cast<unsigned char>(one.at("value").get<unsigned>());
      const auto bytes = one.at("bytes").get<std::size_t>();
      steps_.emplace_back([=, this, to = needed(one.at("to"))] { return driver_.fill_bytes_in(to, value, bytes, stream); });
    }
  }
  // The driver reads as much of each argument as nvcc's kernel takes, so that must be what was recorded.
  void add_launch(const Json& one, Stream stream) {
    const Function kernel = module_.function(named(one.at("kernel")));
    const protocol::LaunchConfig config{one.at("grid").get<protocol::Extent>(), one.at("block").get<protocol::Extent>(),
                                        one.at("shared").get<std::size_t>()};
    const int fixed = driver_.attribute(kernel, FunctionAttribute::static_shared_bytes);
    if (const int shared = static_cast<int>(config.shared_bytes); shared + fixed > usual_shared_bytes)
      driver_.check(driver_.function_set(kernel, static_cast<int>(FunctionAttribute::most_dynamic_shared_bytes), shared), "dynamic memory");
    if (driver_.function_parameter == nullptr) throw std::runtime_error("launchers are timed with a driver of CUDA 12.4 or newer");
    std::vector<void*>& parameters = parameters_.emplace_back();
    for (const Json& argument : one.at("arguments")) parameters.push_back(arguments_.emplace_back(moved_bytes(argument)).data());
    for (std::size_t i = 0, offset = 0, size = 0; i <= parameters.size(); ++i) {
      const bool is_taken = driver_.function_parameter(kernel, i, &offset, &size) == 0;
      const bool fits = i < parameters.size() ? is_taken && size == one.at("arguments")[i].size() : !is_taken;
      if (!fits) throw std::runtime_error("nvcc's kernel has other parameters than the one that was launched");
    }
    steps_.emplace_back([=, this, at = parameters.data()] { return driver_.launch(kernel, config, at, stream); });
  }

  const Driver& driver_;
  const LoadedModule& module_;
  const std::vector<std::string>& functions_;
  std::map<std::uint64_t, Place> places_;
  std::deque<GuardedBuffer> scratch_, sent_;
  std::map<std::uint64_t, Stream> streams_;
  std::map<std::uint64_t, Event> events_;
  Event fence_;
  std::deque<Bytes> arguments_;
  std::deque<std::vector<void*>> parameters_;
  std::vector<std::function<Result()>> steps_;
};

}  // namespace tilelab::cuda
