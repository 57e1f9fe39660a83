// Fuzzes every reader of a message or a file that two programs exchange, with libFuzzer and under the address and undefined-behaviour
// sanitizers. The environment's TILELAB_READER names the reader. A reader may refuse with an exception; it may not crash, hang or read
// outside of its input. What it takes has to read the same after it was written again.
//
// The reader `planted` has a mistake on purpose: a run that does not find it would find nothing.
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

#include <nlohmann/json.hpp>

#include "judge/process/runner_process.hpp"
#include "judge/report/record.hpp"
#include "launch/launch_description.hpp"
#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"

namespace {

using namespace tilelab;
using nlohmann::json;

void demand(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "message-fuzz: %s\n", what);
  std::abort();
}

template <class Message>
void read_message(const std::string& text) {
  const auto message = json::parse(text).get<Message>();
  const std::string written = json(message).dump();
  demand(json(json::parse(written).get<Message>()).dump() == written, "a message changes when it is written and read again");
}

void read_reply(const std::string& text) {
  const auto reply = judge::read_reply(text);
  if (!reply) return;
  const std::string written = json(*reply).dump();  // throws on text that is no UTF-8
  const auto again = judge::read_reply(written);
  demand(again && json(*again).dump() == written, "a checked reply does not pass the check as it is");
  demand(reply->findings.size() <= 64 && reply->printed.size() <= 16 * 1024, "a checked reply is longer than allowed");
}

// Calls `read` with the path of a file that holds `text`.
void with_file(const std::string& text, const std::function<void(const std::string&)>& read) {
  const Descriptor file(::memfd_create("fuzz", MFD_CLOEXEC));
  demand(::write(file.get(), text.data(), text.size()) == static_cast<ssize_t>(text.size()), "a memory file cannot be written");
  read("/proc/self/fd/" + std::to_string(file.get()));
}

// An image that was read can be asked for any address.
void read_image(const std::string& text) {
  with_file(text, [](const std::string& path) {
    const Image image = load_image(path);
    for (const std::uintptr_t address : {std::uintptr_t{0}, image.kernel, ~std::uintptr_t{0}}) {
      image.line_at(address);
      image.function_at(address);
    }
  });
}

void read_frames(const std::string& bytes) {
  int ends[2];
  demand(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0, "no socket");
  Channel ours{Descriptor(ends[0])};
  {
    const Descriptor theirs(ends[1]);
    if (::write(theirs.get(), bytes.data(), bytes.size()) < 0) return;  // longer than the socket holds
  }
  std::size_t seen = 0;
  for (;;) {  // ends with an exception: the peer is gone
    seen += 4 + ours.receive(0).text.size();
    demand(seen <= bytes.size(), "more arrived than was sent");
  }
}

void planted(const std::string& text) {
  const auto reply = judge::read_reply(text);
  if (!reply) return;
  const auto [x, y, z] = reply->config.grid;
  demand(x < 9 && y < 9 && z < 9, "planted");  // the sample has 2, 2 and 1
}

const std::map<std::string, std::function<void(const std::string&)>> readers{
    {"reply", read_reply},
    {"request", read_message<protocol::LaunchRequest>},
    {"timing-request", read_message<protocol::TimingRequest>},
    {"timing-reply", read_message<protocol::TimingReply>},
    {"image", read_image},
    {"description", [](const std::string& text) { with_file(text, checker::read_description); }},
    {"task",
     [](const std::string& text) {
       std::istringstream stream(text);
       judge::read_task(stream).specs();
     }},
    {"frames", read_frames},
    {"planted", planted},
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto& read = readers.at(std::getenv("TILELAB_READER"));
  try {
    read({reinterpret_cast<const char*>(data), size});
  } catch (const std::exception&) {
    // refused
  }
  return 0;
}
