// One run of a program under the broker (kit/program), as a child process: what the broker recorded, what the program wrote to its
// standard output, and which bytes passed between host and device.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/program_bench.hpp"
#include "protocol/channel.hpp"

namespace tilelab::judge {

// The folder in which a judged program runs: filled before each run, and read afterwards. Whatever lies in it then is the program's, and
// hostile: names are looked up in the open folder, links are not followed, only plain files of a limited size are read.
class DataFolder {
 public:
  // Throws std::system_error if it cannot be opened.
  explicit DataFolder(const std::string& path);
  // Removes what lies in it, folders too, and writes the files. Throws std::runtime_error.
  void fill(const std::vector<DataFile>& files) const;
  // The same while the program lives, which may change the folder meanwhile: removes plain files and links alone, and nothing that lies
  // deeper. False where something is in the way; then fill() is for later.
  bool refill(const std::vector<DataFile>& files) const;
  // As far as the program left it to be seen. Cheap enough to be asked while the program runs.
  struct Usage {
    std::string too_much;             // of what it holds more than any lab needs, in words; empty: of nothing
    std::uintmax_t largest_file = 0;  // in bytes
  };
  Usage usage() const;
  // The file's content. Nothing if there is none, and why.
  struct Found {
    std::optional<std::vector<std::byte>> content;
    std::string trouble;  // "does not exist"
  };
  Found read(const std::string& name, std::size_t most_bytes) const;

 private:
  void write(const std::vector<DataFile>& files) const;  // into new files

  std::string path_;
  Descriptor folder_;
};

class NativeSession;

// Bytes that were copied, in the order of the copies. `address`: where they went to or came from in the program's own memory;
// below 4096 the number of a kernel's argument.
struct CopiedBytes {
  bool to_the_device = false;  // else they were copied to the host
  std::uint64_t at = 0;        // the program's instruction
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
  std::vector<bool> by_kernel = {};  // of what went to the host: for each byte whether a kernel wrote it
};

struct BrokeredRun {
  nlohmann::json record;  // run.json
  std::string output;
  std::string too_much;  // that it wrote, and was ended for: as OutputProcess::too_much
  std::vector<CopiedBytes> copies;
};

struct LauncherCall {
  std::vector<std::string> arguments;  // the operands' names in the order of its parameters; empty: the problem's order
  bool on_host = false;                // its pointers lead to memory of the host
};

// The program as an executable for the GPU of this machine.
struct NativeProgram {
  std::vector<std::string> argv;
  std::chrono::milliseconds most{};  // on the wall
  std::string gate = {}, lock = {};  // files of the grader's lock on the GPU (grader/system/gpu_lock.py); empty: nobody times there
  std::shared_ptr<NativeSession> session = {};  // none: each run has a process of its own
};

// How much of its limits a run may use: those who judge many runs share their time among them.
struct RunShare {
  std::chrono::milliseconds most{};  // on the wall
  unsigned halvings = 0;             // of each limit of its own
};

// What the grader says of a program that it has built. `description` is program.json without arguments.
struct BuiltProgram {
  std::string broker;  // the path of the broker
  nlohmann::json description;
  std::optional<LauncherCall> launcher;  // none: it has a main of its own
  std::optional<NativeProgram> native;   // if there is one, it runs instead of the broker
  std::string folder;                    // where the program runs: it may write there
  std::string scratch;                   // where the judge may: the program sees nothing of it
  std::function<RunShare()> share = {};  // asked before each run; none: the whole limits
};

// Throws std::runtime_error or nlohmann::json::exception.
BuiltProgram read_program_file(const std::string& path);

// program.json of one run, in which only "transfer_log" is still missing. `device_bytes`: of the device's memory; 0: as many as the
// description says.
nlohmann::json described(const BuiltProgram& program, const std::vector<std::string>& arguments, std::size_t device_bytes);

// Throws std::runtime_error where the broker cannot work: a fault of ours.
BrokeredRun run_with_broker(const BuiltProgram& program, nlohmann::json description);

// What the host learned of the device's memory in one run, for another one to be shown again: a file.
std::string reads_of(const BuiltProgram& program);

// Reads the file that the broker writes beside its report. Throws std::runtime_error if it is damaged.
std::vector<CopiedBytes> read_copies(const std::string& path);

// A child process whose standard output is read to its end: the broker, or a program on a real GPU.
class OutputProcess {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Drained { whole, too_much, late, told };

  // Starts it in `folder`, in a process group of its own if `apart`. `input`: its standard input; -1: an empty one. Throws
  // std::system_error.
  OutputProcess(const std::vector<std::string>& argv, const std::string& folder, bool apart, int input = -1);
  // It is killed if nobody waited for it.
  ~OutputProcess();
  OutputProcess(const OutputProcess&) = delete;
  OutputProcess& operator=(const OutputProcess&) = delete;

  // Reads until the output ends, until there is too much of it or in `folder`, or until the deadline; or until there is something to be
  // read from `told`, and then what the program wrote before that.
  Drained drain(std::string& output, const DataFolder& folder, Clock::time_point deadline, int told = -1);
  void stop() const;  // SIGTERM
  void kill() const;  // with its group, where it has one of its own
  int wait();         // waitpid's status
  // What there was too much of, in words: "more than 16 MiB of output".
  const std::string& too_much() const { return too_much_; }

 private:
  pid_t pid_ = -1;
  bool apart_ = false;
  std::string too_much_;
  Descriptor reader_;
};

}  // namespace tilelab::judge
