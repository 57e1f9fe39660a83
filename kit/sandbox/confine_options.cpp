// Reads the launcher's command line. Numbers must be plain decimal, because a misread limit would be no limit.
#include "sandbox/confine_options.hpp"

#include <charconv>
#include <string_view>
#include <utility>

namespace tilelab::sandbox {

const char* const usage =
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
    "Exit status: COMMAND's, or 128 + the signal it died of; 125: it could not be confined; 126, 127: not started.\n";

namespace {

// Reads one option at a time, with its value in the same word (--memory=1) or in the next word.
class Words {
 public:
  explicit Words(const std::vector<std::string>& words) : words_(words) {}
  bool more() const { return next_ < words_.size(); }
  std::string take_option() {
    const std::string& word = words_[next_++];
    const std::size_t equals = word.starts_with("--") ? word.find('=') : std::string::npos;
    value_.reset();
    if (equals != std::string::npos) value_ = word.substr(equals + 1);
    return word.substr(0, equals);
  }
  std::string value_of(const std::string& option) {
    if (value_) return *std::exchange(value_, std::nullopt);
    if (!more()) throw Failure(option + " needs a value");
    return words_[next_++];
  }
  bool has_unused_value() const { return value_.has_value(); }
  std::vector<std::string> rest() { return {words_.begin() + static_cast<std::ptrdiff_t>(next_), words_.end()}; }

 private:
  const std::vector<std::string>& words_;
  std::size_t next_ = 0;
  std::optional<std::string> value_;
};

std::uint64_t number(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) throw Failure(option + " needs a whole number, not '" + text + "'");
  return value;
}

Profile profile_named(const std::string& name) {
  if (name == "build") return Profile::build;
  if (name == "run") return Profile::run;
  if (name == "gpu") return Profile::gpu;
  if (name == "program") return Profile::program;
  if (name == "gpu-program") return Profile::gpu_program;
  throw Failure("--profile is build, run, gpu, program or gpu-program, not '" + name + "'");
}

std::optional<std::uint64_t>* number_named(ConfineOptions& options, std::string_view name) {
  if (name == "--cpu-seconds") return &options.cpu_seconds;
  if (name == "--memory") return &options.memory_bytes;
  if (name == "--processes") return &options.processes;
  if (name == "--file-bytes") return &options.file_bytes;
  if (name == "--open-files") return &options.open_files;
  if (name == "--usage-to") return &options.usage_descriptor;
  if (name == "--user") return &options.user;
  return nullptr;
}

bool* switch_named(ConfineOptions& options, std::string_view name) {
  if (name == "--probe") return &options.probe;
  if (name == "--guard") return &options.guard;
  if (name == "--landlock" || name == "--no-landlock") return &options.landlock;
  if (name == "--seccomp" || name == "--no-seccomp") return &options.seccomp;
  if (name == "--keep-root") return &options.keep_root;
  return nullptr;
}

}  // namespace

ConfineOptions parse_options(const std::vector<std::string>& arguments) {
  ConfineOptions options;
  Words words(arguments);
  while (words.more()) {
    const std::string option = words.take_option();
    if (option == "--") {
      options.command = words.rest();
      break;
    }
    if (auto* value = number_named(options, option)) {
      *value = number(option, words.value_of(option));
    } else if (bool* flag = switch_named(options, option)) {
      *flag = !option.starts_with("--no-");
    } else if (option == "--profile") {
      options.profile = profile_named(words.value_of(option));
    } else if (option == "--readable") {
      options.readable.push_back(words.value_of(option));
    } else if (option == "--writable") {
      options.writable.push_back(words.value_of(option));
    } else if (option == "--device") {
      options.devices.push_back(words.value_of(option));
    } else if (option == "--path") {
      options.path.push_back(words.value_of(option));
    } else if (option == "--tmp") {
      options.temporary = words.value_of(option);
    } else {
      throw Failure("unknown option '" + option + "'\n" + usage);
    }
    if (words.has_unused_value()) throw Failure(option + " takes no value");
  }
  if (!options.probe && options.command.empty()) throw Failure(std::string("no command after --\n") + usage);
  return options;
}

}  // namespace tilelab::sandbox
