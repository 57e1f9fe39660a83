// Launchers and programs on a real GPU, as the judge sees them: a shell script stands for what nvcc would have built.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "program_judge/launcher_judge.hpp"
#include "program_judge/program_judge.hpp"

using namespace tilelab;
using judge::LaunchRecord;

namespace {

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("tilelab-native-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

judge::BuiltProgram script(const Folder& folder, const std::string& text, unsigned most_ms = 10'000) {
  return {.conductor = {},
          .description = {},
          .launcher = judge::LauncherCall{{}, false},
          .native = judge::NativeProgram{{"/bin/sh", "-c", text, "program"}, std::chrono::milliseconds(most_ms), {}, {}},
          .folder = folder.path,
          .scratch = {}};
}

// Leaves in `out` what is in `in`.
judge::Trial trial() {
  const std::vector<double> values{1, 2, 3, 4};
  return {.shape = "n=4",
          .inputs = "few",
          .operands = {judge::input("in", ElementType::f32, 4, values),
                       judge::output("out", ElementType::f32, {.rows = 1, .columns = 4, .values = values}), judge::integer("n", 4)},
          .launch_arguments = {}};
}

const std::string keep_input = "cp tilelab_0 tilelab_0.out; ";

}  // namespace

TEST_CASE("a native launcher gets its operands as files, and what it leaves is compared", "[native]") {
  const Folder folder;
  const LaunchRecord record = judge::judge_launcher(
      script(folder, keep_input + "test \"$(cat tilelab_operands)\" = \"$(printf 'device input 16\\ndevice output 16\\nscalar 4')\" && "
                                  "cp tilelab_0 tilelab_1.out && echo done"),
      trial());
  CAPTURE(record.message);
  CHECK(record.verdict == Verdict::pass);
  CHECK(record.printed == "done\n");
  CHECK(record.program.at("native") == true);
}

TEST_CASE("the GPU is shared while a native run lasts, and free after it", "[native]") {
  const Folder folder;
  const std::filesystem::path beside = folder.path.string() + "-locks", gate = beside / "gate", lock = beside / "lock";
  std::filesystem::create_directories(beside);
  for (const auto& file : {gate, lock}) std::ofstream(file).put('x');
  auto program = script(folder, keep_input + "cp tilelab_0 tilelab_1.out; for f in " + gate.string() + " " + lock.string() +
                                    "; do flock -n -x $f true && echo free || echo held; flock -n -s $f true || echo alone; done");
  program.native->gate = gate;
  program.native->lock = lock;
  const LaunchRecord record = judge::judge_launcher(program, trial());
  CAPTURE(record.message);
  CHECK(record.verdict == Verdict::pass);
  CHECK(record.printed == "free\nheld\n");
  const int after = open(lock.c_str(), O_RDONLY | O_CLOEXEC);
  CHECK(flock(after, LOCK_EX | LOCK_NB) == 0);
  close(after);
  std::filesystem::remove_all(beside);
}

TEST_CASE("what a native launcher does wrong has its verdict", "[native]") {
  const auto [text, verdict, message] = GENERATE(table<std::string, Verdict, std::string>(
      {{keep_input + "cp tilelab_1 tilelab_1.out", Verdict::wrong_answer, "4 of 4 elements were never written"},
       {"cp tilelab_1 tilelab_0.out; cp tilelab_0 tilelab_1.out", Verdict::input_modified, "in is an input"},
       {keep_input, Verdict::crash, "The program left no whole result of out"},
       {keep_input + "ln -s tilelab_0 tilelab_1.out", Verdict::crash, "The program left no whole result of out"},
       {keep_input + "mkfifo tilelab_1.out", Verdict::crash, "The program left no whole result of out"},
       {keep_input + "head -c 99 /dev/zero > tilelab_1.out", Verdict::crash, "The program left no whole result of out"},
       {"printf 'an illegal memory access' > tilelab_error; exit 3", Verdict::crash, "CUDA reports an error: an illegal memory access"},
       {"exit 4", Verdict::crash, "The program ended with status 4"},
       {"while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done | cat | tr x y | dd bs=64k 2>/dev/null", Verdict::timeout,
        "The program wrote without end"}}));
  CAPTURE(text);
  const Folder folder;
  const LaunchRecord record = judge::judge_launcher(script(folder, text), trial());
  CHECK(record.verdict == verdict);
  CHECK(record.message.substr(0, message.size()) == message);
}

TEST_CASE("a native program that does not end is ended with all its children", "[native]") {
  const Folder folder;
  CHECK(judge::judge_launcher(script(folder, "sleep 60 & sleep 60", 200), trial()).verdict == Verdict::timeout);
}

TEST_CASE("a native program gets its arguments and files", "[native]") {
  const Folder folder;
  judge::ProgramTrial one{.shape = "n=2",
                          .inputs = "few",
                          .arguments = {"a.bin", "b.bin"},
                          .files = {judge::data_file("a.bin", ElementType::f32, {5, 6})},
                          .output = "b.bin",
                          .expectation = {.rows = 1, .columns = 2, .values = {5, 6}}};
  CHECK(judge::judge_program(script(folder, "cp $1 $2"), one).verdict == Verdict::pass);
  CHECK(judge::judge_program(script(folder, "head -c 7 $1 > $2"), one).verdict == Verdict::wrong_answer);
  CHECK(judge::judge_program(script(folder, "ln -s /etc/passwd $2"), one).verdict == Verdict::wrong_answer);
  one.output.clear();
  CHECK(judge::judge_program(script(folder, "echo 5; echo 6.0"), one).verdict == Verdict::pass);
  CHECK(judge::judge_program(script(folder, "echo PASS 5 6"), one).verdict == Verdict::wrong_answer);
}
