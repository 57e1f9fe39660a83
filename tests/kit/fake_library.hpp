// What the fake programs of the broker's tests use in the place of CUDA's runtime: plain requests, honest or not.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "fake_program.hpp"
#include "program/host_request.hpp"
#include "protocol/channel.hpp"

namespace tilelab::fake {

using nlohmann::json;

// The program's side of the conversation. The reply's "error" is what it returns, or what somebody asks for.
class Library {
 public:
  Library() {
    staging_ = static_cast<char*>(mmap(nullptr, program::staging_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, program::host_staging, 0));
    if (staging_ == MAP_FAILED) _exit(90);
    ask({{"op", "hello"}, {"version", 1}});
  }
  json ask(json request) {
    channel_.send(request.dump());
    frame_ = channel_.receive(20'000);
    return json::parse(frame_.text);
  }
  void say(const std::string& text) { channel_.send(text); }
  int descriptor() const { return frame_.descriptors.at(0).get(); }  // of the last reply
  char* staging() const { return staging_; }

  std::uint64_t allocate(std::size_t bytes, const char* kind = "device", int at = 10) {
    return ask({{"op", "allocate"}, {"bytes", bytes}, {"kind", kind}, {"at", at}}).at("address");
  }
  json copy(std::uint64_t to, std::uint64_t from, std::size_t bytes, int kind, int at, json more = json::object()) {
    json request = {{"op", "copy"},       {"to", to},     {"from", from}, {"rows", 1},
                    {"row_bytes", bytes}, {"kind", kind}, {"stream", 0},  {"at", at}};
    request.update(more);
    return ask(request);
  }
  void put(std::uint64_t to, const std::vector<float>& values) {
    copy(to, 0x5000, values.size() * 4, 1, 20);
    std::memcpy(staging_, values.data(), values.size() * 4);
    ask({{"op", "chunk"}, {"bytes", values.size() * 4}});
  }
  std::vector<float> get(std::uint64_t from, std::size_t count) {
    std::vector<float> values(count);
    if (copy(0x5000, from, count * 4, 2, 21).at("direction") != "read") return {};
    ask({{"op", "chunk"}, {"bytes", count * 4}});
    std::memcpy(values.data(), staging_, count * 4);
    return values;
  }
  json launch(std::uint64_t x, int n, json more = json::object()) {
    const auto hex = [](std::uint64_t value, std::size_t bytes) {
      std::string text;
      for (std::size_t i = 0; i < bytes; ++i, value >>= 8)
        for (const auto half : {value >> 4 & 15, value & 15}) text += "0123456789abcdef"[half];
      return text;
    };
    json request = {{"op", "launch"},    {"kernel", fake::add_one},
                    {"grid", {1, 1, 1}}, {"block", {32, 1, 1}},
                    {"shared", 0},       {"stream", 0},
                    {"at", 30},          {"arguments", {hex(x, 8), hex(static_cast<unsigned>(n), 4)}}};
    request.update(more);
    return ask(request);
  }
  void bye() { ask({{"op", "bye"}, {"status", 0}}); }

 private:
  Channel channel_{Descriptor(program::host_socket)};
  Frame frame_;
  char* staging_ = nullptr;
};

inline void expect(bool as_it_should_be, int status) {
  if (!as_it_should_be) _exit(status);
}

}  // namespace tilelab::fake
