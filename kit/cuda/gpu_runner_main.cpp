// The process that hosts a submission on a GPU: answers a judge's launch requests on its socket, each through a child that
// holds the GPU. Nothing of the submission runs in it, and it makes no context itself: one would not survive the fork.
#include <sys/prctl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "cuda/contest.hpp"
#include "cuda/contest_image.hpp"
#include "cuda/cubin_image.hpp"
#include "cuda/device_launch.hpp"
#include "cuda/device_probe.hpp"
#include "cuda/launch_worker.hpp"
#include "cuda/printed_output.hpp"
#include "runner/channel.hpp"
#include "runner/protocol.hpp"
#include "runner/timing_message.hpp"

namespace {

using namespace tilelab;

void serve(const std::string& image_file) {
  const cuda::CubinImage image = cuda::load_cubin_image(image_file);
  Channel channel{Descriptor(protocol::socket_descriptor)};
  cuda::LaunchWorker worker(image);
  for (;;) {
    Frame frame;
    try {
      frame = channel.receive();
    } catch (const ChannelError&) {
      return;  // the judge is done
    }
    channel.send(worker.answer(frame));
  }
}

// For a tool that watches this process (compute-sanitizer): all launches in it, no child, and an orderly end. A launch that goes
// astray ends it; the judge then starts another.
void serve_watched(const std::string& image_file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // the tool is the parent: a kernel that hangs must not outlive it
  cuda::CubinImage image = cuda::load_cubin_image(image_file);
  image.watched = true;
  Channel channel{Descriptor(protocol::socket_descriptor)};
  cuda::DeviceSession session(image);
  for (;;) {
    Frame frame;
    try {
      frame = channel.receive();
    } catch (const ChannelError&) {
      return;
    }
    const auto request = nlohmann::json::parse(frame.text).get<protocol::LaunchRequest>();
    const cuda::LaunchOutcome outcome = session.launch(request, frame.descriptors);
    channel.send(nlohmann::json(outcome.reply).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (outcome.spoiled) return;
  }
}

// One process for one submission, with its own context: whoever asked kills it where a kernel does not end.
void serve_contest(const std::string& image_file) {
  const cuda::ContestImage image = cuda::load_contest_image(image_file);
  Channel channel{Descriptor(protocol::socket_descriptor)};
  std::optional<cuda::Contest> contest;
  for (;;) {
    Frame frame;
    try {
      frame = channel.receive();
    } catch (const ChannelError&) {
      return;
    }
    protocol::TimingReply reply;
    try {
      if (!contest) contest.emplace(image);
      if (frame.text == protocol::prepare_to_time) {
        channel.send(nlohmann::json(reply).dump());
        continue;
      }
      const auto request = nlohmann::json::parse(frame.text).get<protocol::TimingRequest>();
      if (frame.descriptors.size() != 1) throw std::runtime_error("a contest keeps outputs in one file");
      reply = contest->run(request, frame.descriptors.front());
    } catch (const std::exception& error) {
      reply.status = protocol::Status::internal_error;
      reply.detail = std::string("the GPU cannot be used: ") + error.what();
    }
    channel.send(nlohmann::json(reply).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  setenv("CUDA_CACHE_DISABLE", "1", 1);  // nothing is compiled here, and nothing may be written
  try {
    if (what == "--image" && argc == 3) {
      serve(argv[2]);
      return 0;
    }
    if (what == "--watched" && argc == 3) {
      serve_watched(argv[2]);
      return 0;
    }
    if (what == "--contest" && argc == 3) {
      const tilelab::cuda::PrintedOutput printed;  // what kernels print goes nowhere
      serve_contest(argv[2]);
      return 0;
    }
    if (what == "--probe" && argc <= 3) {
      std::puts(cuda::probe_devices(argc == 3 ? argv[2] : "").c_str());
      return 0;
    }
    if (what == "--try" && argc <= 3) {
      std::puts(cuda::try_device(argc == 3 ? argv[2] : "", 0).c_str());
      return 0;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu-runner: %s\n", error.what());
    return 1;
  }
  std::fprintf(stderr,
               "usage: gpu-runner --image image.json   (started by a judge, which it answers on descriptor 3)\n"
               "       gpu-runner --watched image.json   (as above, under a tool that watches memory accesses)\n"
               "       gpu-runner --contest contest.json   (as above, to time kernels against each other)\n"
               "       gpu-runner --probe [libcuda.so.1]   (which GPUs there are, as JSON)\n"
               "       gpu-runner --try [libcuda.so.1]     (whether the first can be used by this process)\n");
  return 2;
}
