// confine: starts one program that can reach as little as possible. It is used where bubblewrap cannot start, and inside
// bubblewrap as a second layer. It is not a container: it makes no namespace and needs no privilege.
//
// Theory of operation. The process applies each restriction to itself. A restriction cannot be removed again, and everything that
// the process starts inherits it. The last step is execve. The order matters, because each step removes what a later one may
// need:
//   guard       (if requested) a parent stays outside of all restrictions, to end what the program leaves behind
//   identity    root becomes a user that nobody else is; all capabilities go, except one that root's folders need
//   session     a new one, without a terminal; the process dies when its parent does
//   descriptors only 0-3 are passed on (3: the judge's socket), and 4 to a whole program (memory that it shares with the broker)
//   limits      processor time, memory, file sizes, processes: counted for the identity it has by now
//   Landlock    no file except those listed; no TCP; signals and abstract sockets stay inside (as far as the kernel supports it)
//   seccomp     no system call except those listed: last, because it would forbid the steps before
//   usage       (if requested) a parent stays inside of all restrictions, to report what the program used
// docs/threat-model.md says what none of them stops.
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "options/program_options.hpp"
#include "sandbox/restrictions.hpp"

namespace tilelab::sandbox {
namespace {

constexpr const char* usage =
    "usage: confine [OPTION]... -- COMMAND [ARGUMENT]...\n"
    "       confine --probe\n"
    "  --profile build|run|gpu|program|gpu-program  which system calls COMMAND may make (default: run)\n"
    "  --readable PATH        may be read, and executed under `build`; repeatable; all else is out of reach\n"
    "  --writable PATH        may be read and written; repeatable\n"
    "  --device PATH          a device that may be read, written and, under `gpu`, controlled; repeatable\n"
    "  --cpu-seconds N        per process\n"
    "  --memory BYTES         private writable memory, per process\n"
    "  --processes N          processes and threads at once\n"
    "  --file-bytes N         largest file\n"
    "  --open-files N         descriptors, per process\n"
    "  --usage-to N           descriptor that is told what COMMAND used: processor seconds, and bytes of its largest process\n"
    "  --tmp DIR              TMPDIR and HOME (default: /tmp)\n"
    "  --path DIR             searched before the system's programs; repeatable\n"
    "  --guard                stay behind and kill every process COMMAND leaves when it or this one ends\n"
    "  --user ID              root becomes this user; one that nothing else uses\n"
    "  --keep-root            root stays root, without its privileges\n"
    "  --[no-]landlock  --[no-]seccomp\n"
    "Exit status: COMMAND's, or 128 + the signal it died of; 125: it could not be confined; 126, 127: not started.";

// Of main's arguments: which option is which field. Throws OptionError on anything it does not know.
ConfineOptions parse_options(int count, const char* const* words) {
  using enum OptionRule::Kind;
  ConfineOptions options;
  const std::map<std::string, std::optional<std::uint64_t>*> numbers{{"cpu-seconds", &options.cpu_seconds},
                                                                     {"memory", &options.memory_bytes},
                                                                     {"processes", &options.processes},
                                                                     {"file-bytes", &options.file_bytes},
                                                                     {"open-files", &options.open_files},
                                                                     {"usage-to", &options.usage_descriptor},
                                                                     {"user", &options.user}};
  const std::map<std::string, std::vector<std::string>*> places{
      {"readable", &options.readable}, {"writable", &options.writable}, {"device", &options.devices}, {"path", &options.path}};
  const std::map<std::string, Profile> profiles{{"build", Profile::build},
                                                {"run", Profile::run},
                                                {"gpu", Profile::gpu},
                                                {"program", Profile::program},
                                                {"gpu-program", Profile::gpu_program}};
  std::vector<OptionRule> rules{{"profile", optional}, {"tmp", optional}};
  for (const char* name : {"probe", "guard", "keep-root", "landlock", "no-landlock", "seccomp", "no-seccomp"})
    rules.push_back({name, without_value});
  for (const auto& [name, number] : numbers) rules.push_back({name, optional});
  for (const auto& [name, paths] : places) rules.push_back({name, repeated});

  const ProgramOptions given(count, words, rules, usage, std::numeric_limits<std::size_t>::max());
  for (const auto& [name, number] : numbers)
    if (given.has(name)) *number = given.number<std::uint64_t>(name);
  for (const auto& [name, paths] : places) *paths = given.texts(name);
  if (given.has("profile")) {
    const auto named = profiles.find(given.text("profile"));
    if (named == profiles.end()) given.refuse("--profile is build, run, gpu, program or gpu-program, not '" + given.text("profile") + "'");
    options.profile = named->second;
  }
  if (given.has("tmp")) options.temporary = given.text("tmp");
  options.probe = given.has("probe");
  options.guard = given.has("guard");
  options.keep_root = given.has("keep-root");
  options.landlock = !given.has("no-landlock");
  options.seccomp = !given.has("no-seccomp");
  options.command = given.words();
  if (!options.probe && options.command.empty()) given.refuse("no command after --");
  return options;
}

void probe() {
  utsname machine{};
  checked(uname(&machine), "ask for the kernel's name");
  std::printf("{\"landlock\": %d, \"seccomp\": %s, \"kernel\": \"%s\", \"architecture\": \"%s\"}\n", landlock_abi(),
              seccomp_available() ? "true" : "false", machine.release, machine.machine);
}

// Searches `folders` for `name` as execvp would. Throws Failure (126, 127) as `env` would.
std::string find_program(const std::string& name, const std::vector<std::string>& folders) {
  std::string present;
  std::vector<std::string> candidates{name};
  if (name.find('/') == std::string::npos) {
    candidates.clear();
    for (const std::string& folder : folders) candidates.push_back(folder + "/" + name);
  }
  for (const std::string& candidate : candidates) {
    if (access(candidate.c_str(), X_OK) == 0) return candidate;
    if (access(candidate.c_str(), F_OK) == 0) present = candidate;
  }
  if (!present.empty()) throw Failure("'" + present + "' may not be executed", not_executable_status);
  throw Failure("there is no program '" + name + "'", not_found_status);
}

// The dynamic loader that an ELF program asks for (its PT_INTERP entry); empty for a static program or another kind of file. It reads the
// beginning of the file and runs nothing.
std::string loader_of(const std::string& program) {
  std::ifstream file(program, std::ios::binary);
  ElfW(Ehdr) header{};
  if (!file.read(reinterpret_cast<char*>(&header), sizeof header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return {};
  for (unsigned index = 0; index < header.e_phnum; ++index) {
    ElfW(Phdr) segment{};
    file.seekg(static_cast<std::streamoff>(header.e_phoff + std::size_t{index} * header.e_phentsize));
    if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
    if (segment.p_type != PT_INTERP || segment.p_filesz > 4096) continue;
    std::string loader(segment.p_filesz, '\0');
    file.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!file.read(loader.data(), static_cast<std::streamsize>(loader.size()))) return {};
    return loader.c_str();  // without its terminating zero
  }
  return {};
}

void leave_session() {
  setsid();  // fails if it already leads a session, which is fine
  checked(prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0), "die with the parent");
}

// `kept`: one more than 0 to 3; -1: none.
void drop_descriptors(int kept) {
  const auto keep = static_cast<unsigned>(kept);
  if (kept <= 3 ? close_range(4, ~0U, 0) == 0 : (kept == 4 || close_range(4, keep - 1, 0) == 0) && close_range(keep + 1, ~0U, 0) == 0)
    return;
  for (int fd = 4; fd < 65536; ++fd) {  // kernels before Linux 5.9
    if (fd != kept) close(fd);
  }
}

std::vector<std::string> program_folders(const ConfineOptions& options) {
  std::vector<std::string> folders = options.path;
  folders.insert(folders.end(), {"/usr/local/bin", "/usr/bin", "/bin"});
  return folders;
}

// The same environment for every program: it tells nothing of the grader's own environment, and outputs are reproducible. A runner on a GPU
// works in one stream, and a context with one hardware queue instead of eight is made in a quarter of the time; a student's program may
// have kernels in several streams that wait for each other.
std::vector<std::string> environment_for(const ConfineOptions& options) {
  std::string path;
  for (const std::string& folder : program_folders(options)) path += (path.empty() ? "" : ":") + folder;
  std::vector<std::string> all{"PATH=" + path, "LANG=C.UTF-8", "HOME=" + options.temporary, "TMPDIR=" + options.temporary,
                               "SOURCE_DATE_EPOCH=315532800"};
  if (options.profile == Profile::gpu) all.push_back("CUDA_DEVICE_MAX_CONNECTIONS=1");
  return all;
}

// A compiler may start other programs; a runner may start only itself.
FileAccess file_access(const ConfineOptions& options, const std::string& program) {
  FileAccess access{.readable = {}, .executable = {}, .writable = options.writable, .devices = options.devices};
  (options.profile == Profile::build ? access.executable : access.readable) = options.readable;
  if (options.profile != Profile::build) {
    access.executable.push_back(program);
    if (const std::string loader = loader_of(program); !loader.empty()) access.executable.push_back(loader);
  }
  return access;
}

[[noreturn]] void execute(const std::string& program, std::vector<std::string> command, std::vector<std::string> environment) {
  const auto pointers = [](std::vector<std::string>& words) {
    std::vector<char*> result;
    for (std::string& word : words) result.push_back(word.data());
    result.push_back(nullptr);
    return result;
  };
  execve(program.c_str(), pointers(command).data(), pointers(environment).data());
  throw Failure("cannot execute '" + program + "': " + std::strerror(errno), not_executable_status);
}

[[noreturn]] void confine(const ConfineOptions& options) {
  const std::string program = find_program(options.command.front(), program_folders(options));
  const FileAccess access = file_access(options, program);
  if (options.guard) continue_under_guard();
  checked(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "forbid new privileges");
  volunteer_for_out_of_memory();
  const bool alone = give_up_privileges(options);
  leave_session();  // after the identity: changing the identity clears the signal at the parent's death
  const int usage_to = options.usage_descriptor ? static_cast<int>(*options.usage_descriptor) : -1;
  drop_descriptors(options.profile == Profile::program ? 4 : usage_to);
  limit_resources(options, alone);
  if (options.landlock) restrict_files(access);
  if (options.seccomp) restrict_system_calls(options.profile);
  if (usage_to >= 0) continue_as_reported(usage_to);
  execute(program, options.command, environment_for(options));
}

}  // namespace
}  // namespace tilelab::sandbox

int main(int count, char** words) {
  using namespace tilelab::sandbox;
  try {
    const ConfineOptions options = parse_options(count, words);
    if (!options.probe) confine(options);
    probe();
    return 0;
  } catch (const tilelab::OptionError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return failure_status;
  } catch (const Failure& failure) {
    std::fprintf(stderr, "confine: %s\n", failure.what());
    return failure.status;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "confine: %s\n", error.what());
    return failure_status;
  }
}
