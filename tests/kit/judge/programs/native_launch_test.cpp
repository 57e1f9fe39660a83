// Launchers and programs on a real GPU, as the judge sees them: a shell script stands for what nvcc would have built, or a program of ours
// (turns_program.cpp) that is linked as nvcc would link it, for runs that share a process.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "judge/programs/native_run.hpp"
#include "judge/programs/program_judge.hpp"

using namespace tilelab;
using judge::LaunchRecord;

namespace {

struct Folder {
  std::filesystem::path path = std::filesystem::temp_directory_path() / ("tilelab-native-" + std::to_string(getpid()));
  Folder() { std::filesystem::create_directories(path); }
  ~Folder() { std::filesystem::remove_all(path); }
};

judge::BuiltProgram script(const Folder& folder, const std::string& text, unsigned most_ms = 10'000) {
  return {.broker = {},
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

// As `mode` says, and tells in which turn of which process: "2 of 4711".
judge::BuiltProgram with_turns(const Folder& folder, const std::string& mode, unsigned most_ms = 10'000) {
  auto program = script(folder, "", most_ms);
  program.native->argv = {"/usr/bin/env", "MODE=" + mode, TILELAB_TURNS_PROGRAM};
  program.native->session = std::make_shared<judge::NativeSession>();
  return program;
}

judge::ProgramTrial copying(const std::vector<double>& numbers) {
  return {.shape = "n=2",
          .inputs = "few",
          .arguments = {"a.bin", "b.bin"},
          .files = {judge::data_file("a.bin", ElementType::f32, numbers)},
          .output = "b.bin",
          .expectation = {.rows = 1, .columns = numbers.size(), .values = numbers}};
}

std::string turn_in(const LaunchRecord& record) { return record.printed.substr(0, record.printed.find(' ')); }
std::string process_in(const LaunchRecord& record) { return record.printed.substr(record.printed.find(' ') + 1); }

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
       {"kill -ABRT $$", Verdict::crash, "The program was ended by signal 6"},
       {"kill -XCPU $$", Verdict::timeout, "The program did not end in its time: its host code has used all its processor time."},
       {"sh -c 'kill -XCPU $$'; exit $?", Verdict::timeout,
        "The program did not end in its time: its host code has used all its processor time."},
       {"kill -XFSZ $$", Verdict::timeout, "The program writes a larger file than it may."},
       {"kill -KILL $$", Verdict::internal_error, "the program's run broke off: it was ended from outside: Killed"},
       {"while :; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done | cat | tr x y | dd bs=64k 2>/dev/null", Verdict::timeout,
        "The program was stopped: it wrote more than 16 MiB of output."}}));
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

TEST_CASE("on a real GPU nobody may say that there is too little memory", "[native]") {
  const Folder folder;
  const judge::ProgramTrial scarce{.shape = "n=2",
                                   .inputs = "few",
                                   .arguments = {},
                                   .files = {},
                                   .output = "out.bin",
                                   .expectation = {.rows = 1, .columns = 2, .values = {5, 6}},
                                   .must_come_from_a_kernel = false,
                                   .device_bytes = 4,
                                   .may_report_failure = true};
  CHECK(judge::judge_program(script(folder, R"(printf '\0\0\240\100\0\0\300\100' > out.bin)"), scarce).verdict == Verdict::pass);
  const auto record = judge::judge_program(script(folder, "exit 1"), scarce);
  CHECK(record.verdict != Verdict::pass);
  CHECK(record.inputs == "the same numbers, and memory enough");
}

TEST_CASE("right runs share one process, each with its own arguments, files and output", "[native]") {
  const Folder folder;
  const auto program = with_turns(folder, "copy");
  const LaunchRecord first = judge::judge_program(program, copying({5, 6})), second = judge::judge_program(program, copying({7, 8, 9}));
  CAPTURE(first.message, second.message, first.printed, second.printed);
  CHECK(first.verdict == Verdict::pass);
  CHECK(second.verdict == Verdict::pass);
  CHECK(turn_in(first) == "1");
  CHECK(turn_in(second) == "2");
  CHECK(process_in(first) == process_in(second));
}

TEST_CASE("a run that goes wrong in a shared process is decided in one of its own", "[native]") {
  // What each does in its second turn; alone, which is a first turn, all are right.
  const auto mode =
      GENERATE(as<std::string>(), "leaves nothing", "leaves the old", "exits", "crashes", "hangs", "fails", "prints without end",
               "breaks the GPU", "makes folders", "says too little", "says too much", "closes the channel");
  CAPTURE(mode);
  const Folder folder;
  const auto program = with_turns(folder, mode, 1'000);
  CHECK(judge::judge_program(program, copying({5, 6})).verdict == Verdict::pass);
  const LaunchRecord second = judge::judge_program(program, copying({7, 8}));
  CAPTURE(second.message, second.printed);
  CHECK(second.verdict == Verdict::pass);
  const LaunchRecord third = judge::judge_program(program, copying({9, 10}));
  CAPTURE(third.message);
  CHECK(third.verdict == Verdict::pass);
}

TEST_CASE("a program that is wrong in each turn is wrong", "[native]") {
  const auto [mode, verdict] = GENERATE(table<std::string, Verdict>({{"always leaves nothing", Verdict::wrong_answer},
                                                                     {"always fails", Verdict::crash},
                                                                     {"always crashes", Verdict::crash},
                                                                     {"always hangs", Verdict::timeout}}));
  CAPTURE(mode);
  const Folder folder;
  const auto program = with_turns(folder, mode, 500);
  for (int run = 0; run < 2; ++run) CHECK(judge::judge_program(program, copying({5, 6})).verdict == verdict);
}

TEST_CASE("a program that ends itself is judged by that, and the next run has a new process", "[native]") {
  const Folder folder;
  const auto program = with_turns(folder, "always exits");
  const LaunchRecord first = judge::judge_program(program, copying({5, 6})), second = judge::judge_program(program, copying({7, 8}));
  CHECK(first.verdict == Verdict::pass);
  CHECK(second.verdict == Verdict::pass);
  CHECK(turn_in(second) == "1");
  CHECK(process_in(first) != process_in(second));
}

TEST_CASE("what lies outside the folder is not touched by a program that swaps what the judge removes", "[native]") {
  const Folder folder;
  const std::filesystem::path beside = folder.path.string() + "-beside", kept = beside / "kept";
  std::filesystem::create_directories(beside);
  std::ofstream(kept).put('x');
  const auto program = with_turns(folder, "links " + beside.string());
  for (int run = 0; run < 3; ++run) CHECK(judge::judge_program(program, copying({5, 6})).verdict == Verdict::pass);
  CHECK(std::filesystem::exists(kept));
  std::filesystem::remove_all(beside);
}
