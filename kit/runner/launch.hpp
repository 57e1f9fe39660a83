// Runs one launch request in this process and answers it. Use it in a forked child: the submission's code runs here, and a crash
// or an endless loop ends the process after the answer is written.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"

namespace tilelab {

// `deliver` receives the reply exactly once, either normally or from a signal handler. It must hand the reply over and end the
// process; it must not return.
[[noreturn]] void run_launch(const Image& image, const protocol::LaunchRequest& request, const std::vector<Descriptor>& buffers,
                             const std::function<void(const protocol::LaunchReply&)>& deliver);

}  // namespace tilelab
