// The runner that hosts a submission, as a child process. It is started when first needed, and again when it has died. It is
// killed with its whole process group if a launch passes its deadline. Its answers are untrusted and not interpreted here.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

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

// A buffer's memory file: anonymous, shared with a runner, sealed so that a runner cannot resize it. A hostile runner may still
// change its bytes at any time. Therefore bytes() copies them once, and callers compare the copy.
class MemoryFile {
 public:
  // Holds a copy of `content`. Throws std::system_error.
  explicit MemoryFile(std::span<const std::byte> content);
  int descriptor() const { return file_.get(); }
  std::vector<std::byte> bytes() const;

 private:
  Descriptor file_;
  std::size_t size_;
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

  Answer launch(const protocol::LaunchRequest& request, const std::vector<MemoryFile>& files);
  // Sends any request, as JSON. The runner is killed if it has not answered within `limit`.
  Answer ask(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files);

 private:
  struct Process;
  Answer attempt(const std::string& request, std::chrono::milliseconds limit, const std::vector<int>& memory_files);

  std::vector<std::string> argv_;
  std::chrono::milliseconds slack_, shutdown_grace_;
  std::unique_ptr<Process> process_;  // null: not running
};

// A child in a process group of its own, with a socket to this process as protocol::socket_descriptor. `files`: descriptors here, and their
// numbers in the child; the others from there on are closed. `begun` is called as soon as the child is there. Throws std::system_error.
struct StartedChild {
  pid_t pid = -1;
  Descriptor socket{};
  int trouble = 0;  // errno, where argv[0] could not be started: the child has ended then, and waits to be asked for its status
};
StartedChild start_child(const std::vector<std::string>& argv, std::vector<std::pair<int, int>> files, void (*begun)(pid_t) = nullptr);

// Kills all runners of this process. For a signal handler: whoever waits for an answer gets Answer::Kind::died.
void kill_runners() noexcept;

// Processes that a sandbox leaves behind when it is ended: they have ended as well, but somebody has to ask for their status. The
// first process of many containers never does, and the kernel counts such processes against the limit of their user.
//
// While one lives, this process inherits orphans among its descendants. Its end waits for all of them, at most two seconds. Only for a
// main program whose other children have ended by then: it takes anybody's status.
class OrphanCare {
 public:
  OrphanCare();
  ~OrphanCare();
  OrphanCare(const OrphanCare&) = delete;
  OrphanCare& operator=(const OrphanCare&) = delete;
};

// Waits for those there are now, and for children that end within two seconds. No child may be at work. Does nothing without an
// OrphanCare.
void reap_orphans();

// Reads a runner's reply, which a hostile submission may have written. It refuses what no honest runner says, and limits the
// length of the rest, so that later code never meets an endless, malformed or misleading string.

// Returns nothing if `text` is no reply. Otherwise there are at most 64 findings of known kinds and severities. Strings are one
// line (printed output: many), of limited length, without control characters.
std::optional<protocol::LaunchReply> read_reply(const std::string& text, std::size_t max_printed = 16 * 1024);

// `text` as valid UTF-8 of at most `limit` bytes: bad bytes and control characters become U+FFFD.
std::string tame(const std::string& text, std::size_t limit, bool keep_lines = false);

}  // namespace tilelab::judge
