// The process that hosts a submission on a GPU. It answers a judge's launch requests on its socket; a child that holds the GPU
// runs each of them. It runs nothing of the submission, and makes no context itself, because a context does not survive fork.
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/contest.hpp"
#include "gpu/cubin.hpp"
#include "gpu/device_launch.hpp"
#include "gpu/driver_api.hpp"
#include "gpu/guarded_buffer.hpp"
#include "options/program_options.hpp"
#include "protocol/channel.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/protocol.hpp"

namespace {

using namespace tilelab;

// Until `answer` says that nothing more can be answered, or the judge closes the socket.
void answer_each(const std::function<bool(Channel&, const Frame&)>& answer) {
  Channel channel{Descriptor(protocol::socket_descriptor)};
  for (;;) {
    Frame frame;
    try {
      frame = channel.receive();
    } catch (const ChannelError&) {
      return;
    }
    if (!answer(channel, frame)) return;
  }
}

void serve(const std::string& image_file) {
  const cuda::CubinImage image = cuda::load_cubin_image(image_file);
  cuda::LaunchWorker worker(image);
  answer_each([&](Channel& channel, const Frame& frame) {
    channel.send(worker.answer(frame));
    return true;
  });
}

// For a tool that watches this process (compute-sanitizer): all launches run in this process, without a child, and it ends in
// order. A launch that fails badly ends the process; the judge then starts another one.
void serve_watched(const std::string& image_file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the tool is the parent: a kernel that hangs must not outlive it
  cuda::CubinImage image = cuda::load_cubin_image(image_file);
  image.watched = true;
  cuda::DeviceSession session(image);
  answer_each([&](Channel& channel, const Frame& frame) {
    const auto request = json_from(frame.text).get<protocol::LaunchRequest>();
    const cuda::LaunchOutcome outcome = session.launch(request, frame.descriptors);
    channel.send(json_text(outcome.reply));
    return !outcome.spoiled;
  });
}

// One process for one submission, with its own context. Whoever sent the request kills it if a kernel does not end.
void serve_contest(const std::string& image_file) {
  const cuda::ContestImage image = cuda::load_contest_image(image_file);
  std::optional<cuda::Contest> contest;
  answer_each([&](Channel& channel, const Frame& frame) {
    protocol::TimingReply reply;
    try {
      if (!contest) contest.emplace(image);
      if (frame.text != protocol::prepare_to_time) {
        const auto request = json_from(frame.text).get<protocol::TimingRequest>();
        if (frame.descriptors.size() != 1) throw std::runtime_error("a contest keeps outputs in one file");
        reply = contest->run(request, frame.descriptors.front());
      }
    } catch (const std::exception& error) {
      reply.status = protocol::Status::internal_error;
      reply.detail = std::string("the GPU cannot be used: ") + error.what();
    }
    channel.send(json_text(reply));
    return true;
  });
}

std::string hexadecimal(const std::array<unsigned char, 16>& bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const unsigned char byte : bytes) text += {digits[byte >> 4], digits[byte & 15]};
  return text;
}

nlohmann::json describe(const cuda::Driver& driver, cuda::DeviceHandle device) {
  std::array<char, 256> name{};
  driver.check(driver.device_name(name.data(), static_cast<int>(name.size() - 1), device), "cuDeviceGetName");
  std::size_t memory = 0;
  driver.check(driver.device_memory(&memory, device), "cuDeviceTotalMem");
  const auto number = [&](cuda::DeviceAttribute which) { return driver.attribute(device, which); };
  std::array<unsigned char, 16> uuid{};
  driver.check(driver.device_uuid(uuid.data(), device), "cuDeviceGetUuid");
  return {{"name", name.data()},
          {"uuid", hexadecimal(uuid)},
          {"capability", number(cuda::DeviceAttribute::capability_major) * 10 + number(cuda::DeviceAttribute::capability_minor)},
          {"multiprocessors", number(cuda::DeviceAttribute::multiprocessors)},
          {"memory_bytes", memory},
          {"l2_bytes", number(cuda::DeviceAttribute::l2_bytes)},
          {"clock_rate_khz", number(cuda::DeviceAttribute::clock_rate_khz)},
          {"memory_clock_rate_khz", number(cuda::DeviceAttribute::memory_clock_rate_khz)},
          {"memory_bus_bits", number(cuda::DeviceAttribute::memory_bus_bits)}};
}

// {"driver": 13000, "library": "/…/libcuda.so.1", "devices": [{"name", "capability", "multiprocessors", …}]} or
// {"trouble": "why there is none"}.
std::string probe_devices(const std::string& driver_path) {
  nlohmann::json answer;
  try {
    const cuda::Driver& driver = cuda::load_driver(driver_path);
    driver.check(driver.init(0), "cuInit");
    int version = 0, count = 0;
    driver.check(driver.driver_version(&version), "cuDriverGetVersion");
    driver.check(driver.device_count(&count), "cuDeviceGetCount");
    answer = {{"driver", version}, {"library", driver.library}, {"devices", nlohmann::json::array()}};
    for (int i = 0; i < count; ++i) {
      cuda::DeviceHandle device = 0;
      driver.check(driver.device_get(&device, i), "cuDeviceGet");
      answer["devices"].push_back(describe(driver, device));
    }
  } catch (const cuda::DriverError& error) {
    answer = {{"trouble", error.what()}};
  }
  return json_text(answer);
}

// Makes a context on the GPU and writes to its memory: {"usable": true} or {"trouble": "what failed"}.
std::string try_device(const std::string& driver_path, int device) {
  try {
    const cuda::Driver& driver = cuda::load_driver(driver_path);
    cuda::enter_device(driver, device);
    const cuda::GuardedBuffer buffer(driver, std::vector<std::byte>(4096));
    if (buffer.content().size() != 4096 || buffer.overrun())
      throw cuda::DriverError("what was written to the GPU is not what is read there");
    return json_text({{"usable", true}});
  } catch (const cuda::DriverError& error) {
    return json_text({{"trouble", error.what()}});
  }
}

constexpr std::string_view usage =
    "usage: gpu-runner --image image.json   (started by a judge, which it answers on descriptor 3)\n"
    "       gpu-runner --watched image.json   (as above, under a tool that watches memory accesses)\n"
    "       gpu-runner --contest contest.json   (as above, to time kernels against each other)\n"
    "       gpu-runner --probe [libcuda.so.1]   (which GPUs there are, as JSON)\n"
    "       gpu-runner --try [libcuda.so.1]     (whether the first can be used by this process)";

void run(int argc, char** argv) {
  constexpr OptionRule::Kind optional = OptionRule::Kind::optional, without_value = OptionRule::Kind::without_value;
  const std::vector<OptionRule> tasks{
      {"image", optional}, {"watched", optional}, {"contest", optional}, {"probe", without_value}, {"try", without_value}};
  const ProgramOptions options(argc, argv, tasks, usage, 1);
  const auto asked = std::ranges::count_if(tasks, [&](const OptionRule& task) { return options.has(task.name); });
  if (asked != 1) options.refuse("exactly one of its options is needed");
  const bool asks_device = options.has("probe") || options.has("try");
  if (!asks_device && !options.words().empty()) options.refuse("'" + options.words().front() + "' is an unexpected argument");
  const std::string library = options.words().empty() ? "" : options.words().front();
  if (options.has("image")) serve(options.text("image"));
  if (options.has("watched")) serve_watched(options.text("watched"));
  if (options.has("contest")) {
    const cuda::PrintedOutput printed;  // what kernels print goes nowhere
    serve_contest(options.text("contest"));
  }
  if (options.has("probe")) std::puts(probe_devices(library).c_str());
  if (options.has("try")) std::puts(try_device(library, 0).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  setenv("CUDA_CACHE_DISABLE", "1", 1);  // nothing is compiled here, and nothing may be written to disk
  return run_program("gpu-runner", 1, [&] { run(argc, argv); });
}
