// Which option of the launcher's command line is which field.
#include "sandbox/confine_options.hpp"

#include <limits>
#include <map>

#include "options/program_options.hpp"

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

}  // namespace

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

}  // namespace tilelab::sandbox
