// A launcher on a GPU, as the list of what it asks of the device (kit/program/launch_plan.hpp): launches, copies, fills, and their order
// in streams. The student's host code ran before, where there is no GPU. Here it can keep no result from call to call, touch no clock,
// see no input and leave nothing running. So the time is that of the device, from the first of these steps until all streams are idle;
// launching from the host and cudaMalloc() are not in it, as little as where the lab's judge launches a kernel. Bytes that the host sent
// lie on the device before.
//
// A step: {"op": "launch", "kernel", "grid", "block", "shared", "arguments": [hex], "stream"}, {"op": "copy", "to", "from", "bytes",
// "stream"}, {"op": "write", "to", "content": hex, "stream"}, {"op": "fill", "to", "bytes", "value", "stream"}, {"op": "stream", "stream",
// "nonblocking"}, {"op": "record", "event", "stream"}, {"op": "wait", "event", "stream"}, where without a stream all wait.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
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
      : driver_(driver), module_(module), functions_(functions), zeros_(usual_parameter) {
    driver_.check(driver_.event_create(&fence_, event_without_time), "cuEventCreate");
    for (const auto& one : plan.at("memory")) {
      const auto bytes = one.at("bytes").get<std::size_t>();
      Place& place = places_[one.at("address").get<std::uint64_t>()] = {bytes, 0};
      if (one.contains("operand")) {
        place.there = operands.at(one.at("operand").get<std::string>());
      } else if (one.contains("variable")) {
        place.there = module_.variable(name_among(one.at("variable").get<std::string>()));
      } else {
        scratch_.emplace_back(driver_, (bytes + 3) / 4 * 4, guard_bytes);
        place.there = scratch_.back().address();
      }
    }
    for (const auto& one : plan.at("steps")) add(one);
  }
  ~Replay() {
    for (const auto& [number, event] : events_) driver_.event_destroy(event);
    for (const auto& [number, stream] : streams_) driver_.stream_destroy(stream);
    driver_.event_destroy(fence_);
  }
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  // Memory that the launcher allocates holds nothing of an earlier call.
  void poison(std::uint32_t word) const {
    for (const GuardedBuffer& one : scratch_) driver_.check(driver_.fill_words(one.address(), word, one.bytes() / 4), "cuMemsetD32");
  }
  bool has_overrun() const {
    return std::ranges::any_of(scratch_, [](const GuardedBuffer& one) { return one.overrun().has_value(); });
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
  const std::vector<protocol::LaunchConfig>& configs() const { return configs_; }

 private:
  using Json = nlohmann::json;
  using Bytes = std::vector<unsigned char>;
  struct Place {
    std::size_t bytes = 0;
    DeviceAddress there = 0;
  };
  static constexpr unsigned event_without_time = 2, stream_beside_the_null_stream = 1;  // CUDA's flags
  static constexpr std::size_t queued_at_once = 400, usual_parameter = 64;
  static constexpr const char* other_parameters = "nvcc's kernel has other parameters than the one that was launched";
  static constexpr int usual_shared_bytes = 48 << 10;

  // Where the recorded address leads to here; 0: nowhere.
  DeviceAddress moved(std::uint64_t address) const {
    auto place = places_.upper_bound(address);
    if (place == places_.begin()) return 0;
    --place;
    return address - place->first <= place->second.bytes ? place->second.there + (address - place->first) : 0;
  }
  DeviceAddress needed(const Json& one, const char* key) const {
    const DeviceAddress there = moved(one.at(key).get<std::uint64_t>());
    return there != 0 ? there : throw std::runtime_error("a launcher's plan uses memory that it does not name");
  }
  // Pointers in it lead to what is here.
  Bytes bytes_of(const std::string& hex) const {
    Bytes bytes(hex.size() / 2);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(std::stoi(hex.substr(2 * i, 2), nullptr, 16));
    for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, bytes.data() + at, 8);
      if (const DeviceAddress there = moved(word); there != 0) std::memcpy(bytes.data() + at, &there, 8);
    }
    return bytes;
  }
  std::string name_among(const std::string& symbol) const {
    if (std::ranges::find(functions_, symbol) != functions_.end()) return symbol;
    if (const auto name = kernel_among(functions_, demangled(symbol))) return *name;
    throw std::runtime_error("nvcc's program has no " + demangled(symbol));
  }
  Stream stream_of(const Json& one) {
    const auto number = one.at("stream").get<std::uint64_t>();
    if (number == 0) return nullptr;
    Stream& stream = streams_[number];
    const unsigned flags = one.value("nonblocking", false) ? stream_beside_the_null_stream : 0;
    if (stream == nullptr) driver_.check(driver_.stream_create(&stream, flags), "cuStreamCreate");
    return stream;
  }
  Event event_of(const Json& one) {
    Event& event = events_[one.at("event").get<std::uint64_t>()];
    if (event == nullptr) driver_.check(driver_.event_create(&event, event_without_time), "cuEventCreate");
    return event;
  }
  Result wait_everywhere(Event event) const {
    Result result = driver_.stream_wait(nullptr, event, 0);
    for (const auto& [number, stream] : streams_)
      if (result == 0) result = driver_.stream_wait(stream, event, 0);
    return result;
  }

  void add(const Json& one) {
    const std::string op = one.at("op").get<std::string>();
    const bool is_everywhere = op == "wait" && !one.contains("stream");
    const Stream stream = is_everywhere ? nullptr : stream_of(one);
    if (op == "launch") {
      add_launch(one, stream);
    } else if (op == "record") {
      steps_.emplace_back([this, stream, event = event_of(one)] { return driver_.event_record(event, stream); });
    } else if (op == "wait") {
      steps_.emplace_back([this, is_everywhere, stream, event = event_of(one)] {
        return is_everywhere ? wait_everywhere(event) : driver_.stream_wait(stream, event, 0);
      });
    } else if (op == "write") {
      const Bytes bytes = bytes_of(one.at("content").get<std::string>());
      const auto all = std::as_bytes(std::span(bytes));
      sent_.emplace_back(driver_, std::vector<std::byte>(all.begin(), all.end()), 0);
      add_copy(needed(one, "to"), sent_.back().address(), bytes.size(), stream);
    } else if (op == "copy") {
      add_copy(needed(one, "to"), needed(one, "from"), one.at("bytes").get<std::size_t>(), stream);
    } else if (op == "fill") {
      steps_.emplace_back([this, to = needed(one, "to"), bytes = one.at("bytes").get<std::size_t>(),
                           value = static_cast<unsigned char>(one.at("value").get<unsigned>()),
                           stream] { return driver_.fill_bytes_in(to, value, bytes, stream); });
    } else if (op != "stream") {
      throw std::runtime_error("a launcher's plan has an unknown step");
    }
  }
  void add_copy(DeviceAddress to, DeviceAddress from, std::size_t bytes, Stream stream) {
    steps_.emplace_back([this, to, from, bytes, stream] { return driver_.copy_on_device(to, from, bytes, stream); });
  }
  // The driver reads as much of each argument as nvcc's kernel takes. Where it cannot say how much, there are zeros behind.
  void add_launch(const Json& one, Stream stream) {
    const Function kernel = module_.function(name_among(one.at("kernel").get<std::string>()));
    const protocol::LaunchConfig config{one.at("grid").get<protocol::Extent>(), one.at("block").get<protocol::Extent>(),
                                        one.at("shared").get<std::size_t>()};
    const int fixed = driver_.attribute(kernel, FunctionAttribute::static_shared_bytes);
    if (const int shared = static_cast<int>(config.shared_bytes); shared + fixed > usual_shared_bytes)
      driver_.check(driver_.function_set(kernel, static_cast<int>(FunctionAttribute::most_dynamic_shared_bytes), shared), "dynamic memory");
    std::vector<void*>& parameters = parameters_.emplace_back();
    const auto taken = [&](std::size_t& size) {
      std::size_t offset = 0;
      return driver_.function_parameter(kernel, parameters.size(), &offset, &size) == 0;
    };
    for (const auto& argument : one.at("arguments")) {
      Bytes& bytes = arguments_.emplace_back(bytes_of(argument.get<std::string>()));
      std::size_t size = bytes.size();
      if (driver_.function_parameter != nullptr && (!taken(size) || size != bytes.size())) throw std::runtime_error(other_parameters);
      bytes.resize(std::max(bytes.size(), usual_parameter));
      parameters.push_back(bytes.data());
    }
    if (std::size_t size = 0; driver_.function_parameter != nullptr && taken(size)) throw std::runtime_error(other_parameters);
    parameters.resize(parameters.size() + usual_parameter, zeros_.data());
    configs_.push_back(config);
    steps_.emplace_back([this, kernel, config, stream, at = parameters.data()] { return driver_.launch(kernel, config, at, stream); });
  }

  const Driver& driver_;
  const LoadedModule& module_;
  const std::vector<std::string>& functions_;
  std::map<std::uint64_t, Place> places_;
  std::deque<GuardedBuffer> scratch_, sent_;
  std::map<std::uint64_t, Stream> streams_;
  std::map<std::uint64_t, Event> events_;
  Event fence_ = nullptr;
  Bytes zeros_;
  std::deque<Bytes> arguments_;
  std::deque<std::vector<void*>> parameters_;
  std::vector<protocol::LaunchConfig> configs_;
  std::vector<std::function<Result()>> steps_;
};

}  // namespace tilelab::cuda
