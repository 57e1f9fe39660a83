// One launch in this process. First what CUDA refuses to launch on every device: grid, block and shared memory that are too large. And what
// is said where a launch needs more memory than the executor has.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"

namespace tilelab {

// Of a block's shared memory, in bytes: without cudaFuncSetAttribute on every device, and with it on one of compute capability 9.0.
inline constexpr std::size_t most_shared_bytes = 48 * 1024, most_shared_bytes_if_asked = 227 * 1024;

// Why CUDA would refuse this configuration, as one sentence for the student; empty if it would not. `static_shared_bytes`: the
// size of the shared arrays that the kernel reaches. `shared_limit`: of static and dynamic ones together.
std::string launch_refusal(const protocol::LaunchConfig& config, std::size_t static_shared_bytes,
                           std::size_t shared_limit = most_shared_bytes);

// The detail of a `crash` whose cause is, in most cases, what the detectors remember of each word.
// How the reply begins of a launch for which the executor has too little memory; then how much there is.
inline constexpr auto no_memory = "The launch needs more memory than ";
const std::string& no_memory_words();  // the whole sentence; called first while there is memory
protocol::LaunchReply no_memory_reply();

// Why a cooperative launch cannot run its blocks together; empty: it can.
std::string cooperative_refusal(const protocol::LaunchConfig& config, std::size_t static_shared_bytes);

// A reply that says no more than how the launch ended.
inline protocol::LaunchReply plain_reply(protocol::Status status, std::string detail) {
  return {.status = status, .detail = std::move(detail)};
}

struct Image;

// What comes of a launch. `goes_on`: it left this process as it found it, and another launch may follow here.
struct LaunchEnd {
  protocol::LaunchReply reply;
  bool goes_on = false;
};

// Runs one launch request in this process, a child that was forked for it: the submission's code runs here, and a crash or an endless loop
// ends the process after the answer is given. `deliver` receives the end, normally or from a signal handler; where this returns, that has
// gone on. `is_first`: in this process. Of a later launch only two ends count: nothing was found, or it is a `timeout`, also one
// of which the executor says that a GPU is needed. With any other the process ends before it has answered, and the launch has to be made
// again in a new one.
void run_launch(const Image& image, const protocol::LaunchRequest& request, const std::vector<Descriptor>& buffers, bool is_first,
                const std::function<void(const LaunchEnd&)>& deliver);

}  // namespace tilelab
