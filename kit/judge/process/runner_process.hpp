// The runner that hosts a submission, as a child process. It is started when first needed, and again when it has died. It is
// killed with its whole process group if a launch passes its deadline. Its answers are untrusted and not interpreted here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"
#include "runner/child_end.hpp"

namespace tilelab::judge {

// The result of one request.
struct Answer {
  enum class Kind {
    reply,         // `text` is the reply
    timeout,       // it read the request and was killed at the deadline
    died,          // it read the request, then ended; it runs no line of the submission itself
    garbled,       // it broke the protocol: its memory was written to
    never_started  // it cannot be started, or ended without reading a request: not the submission's fault
  };
  Kind kind = Kind::reply;
  ChildEnd end = ChildEnd::exit;  // died
  std::string text;               // for other kinds: the reason, with what the process wrote to its standard error
};

class RunnerProcess {
 public:
  // argv[0] is looked up in PATH. A launch's deadline is its processor time (clock_ms) times protocol::wall_clock_factor, plus
  // `slack`. `shutdown_grace` is how long the runner may take to end by itself when it is no longer needed.
  explicit RunnerProcess(std::vector<std::string> argv, std::chrono::milliseconds slack = std::chrono::seconds(5),
                         std::chrono::milliseconds shutdown_grace = {});
  ~RunnerProcess();
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;

  Answer launch(const protocol::LaunchRequest& request, const std::vector<int>& memory_files);
  // Sends any request, as JSON. The runner is killed if it has not answered within `limit`.
  Answer ask(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files);

 private:
  struct Process;
  Answer attempt(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files);

  std::vector<std::string> argv_;
  std::chrono::milliseconds slack_, shutdown_grace_;
  std::unique_ptr<Process> process_;  // null: not running
};

// Kills all runners of this process. For a signal handler: whoever waits for an answer gets Answer::Kind::died.
void kill_runners() noexcept;

}  // namespace tilelab::judge
