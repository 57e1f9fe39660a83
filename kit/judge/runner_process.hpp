// The runner that hosts a submission, as a child process: started when first needed, again when it has died, killed
// with its whole process group when a launch outlives its deadline. What it says is untrusted and not interpreted here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "runner/channel.hpp"
#include "runner/protocol.hpp"

namespace tilelab::judge {

// What became of one request.
struct Answer {
  enum class Kind {
    reply,         // `text` is what it said
    timeout,       // it read the request and was killed at the deadline
    died,          // it read the request, then ended or broke the conversation's rules
    never_started  // it cannot be started, or ends without reading a request: not the submission's doing
  };
  Kind kind = Kind::reply;
  std::string text;  // otherwise why, with what the process wrote to its standard error
};

class RunnerProcess {
 public:
  // argv[0] is looked up in PATH. `slack` is added to a request's clock_ms before the runner is killed; `shutdown_grace` is how long it
  // may take to end by itself when it is no longer needed.
  explicit RunnerProcess(std::vector<std::string> argv, std::chrono::milliseconds slack = std::chrono::seconds(5),
                         std::chrono::milliseconds shutdown_grace = {});
  ~RunnerProcess();
  RunnerProcess(const RunnerProcess&) = delete;
  RunnerProcess& operator=(const RunnerProcess&) = delete;

  Answer launch(const protocol::LaunchRequest& request, const std::vector<int>& memory_files);
  // Any request, as JSON; the runner is killed when it has not answered by `limit`.
  Answer ask(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files);

 private:
  struct Process;
  Answer attempt(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files);

  std::vector<std::string> argv_;
  std::chrono::milliseconds slack_, shutdown_grace_;
  std::unique_ptr<Process> process_;  // null: not running
};

}  // namespace tilelab::judge
