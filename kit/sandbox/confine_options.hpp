// The launcher's command line as plain data. Parsing only: whether a path exists is found out when it is used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilelab::sandbox {

enum class Profile { build, run, gpu };  // gpu: run, and what the GPU's driver asks of the kernel

struct ConfineOptions {
  bool probe = false;
  bool guard = false;  // stay behind as a parent that takes the whole process group along
  bool landlock = true;
  bool seccomp = true;
  bool keep_root = false;             // root stays root, with no capability left
  std::optional<std::uint64_t> user;  // whom root becomes otherwise
  Profile profile = Profile::run;
  std::optional<std::uint64_t> cpu_seconds, memory_bytes, processes, file_bytes, open_files;
  std::vector<std::string> readable, writable, devices;
  std::vector<std::string> path;     // put in front of PATH
  std::string temporary = "/tmp";    // TMPDIR and HOME
  std::vector<std::string> command;  // never empty unless `probe`
};

extern const char* const usage;

// Throws Failure on anything it does not know.
ConfineOptions parse_options(const std::vector<std::string>& arguments);

}  // namespace tilelab::sandbox
