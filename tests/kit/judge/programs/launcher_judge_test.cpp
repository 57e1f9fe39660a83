// A launcher's run and its verdict: honest ones pass, and what the host computed is found out on whichever way it came.
#include "judge/programs/program_judge.hpp"

#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include "fake_program.hpp"
#include "judge/programs/brokered_run.hpp"
#include "judge/programs/operand_files.hpp"

using namespace tilelab;
using judge::LaunchRecord;

namespace {

// Two folders of this test's own.
struct Folders {
  std::filesystem::path base = std::filesystem::temp_directory_path() / ("tilelab-launcher-" + std::to_string(getpid()));
  Folders() {
    std::filesystem::create_directories(base / "data");
    std::filesystem::create_directories(base / "secret");
  }
  ~Folders() {
    std::filesystem::permissions(base / "data", std::filesystem::perms::owner_all);
    judge::DataFolder((base / "data").string()).fill({});  // a program may have locked what it left there
    std::filesystem::remove_all(base);
  }
};

// As the broker, which is another program, starts it.
nlohmann::json described(const std::string& name) {
  nlohmann::json description = fake::program(name);
  const std::string own = std::filesystem::canonical("/proc/self/exe");
  description["host"]["argv"][0] = own;
  for (auto& kernel : description["kernels"])
    if (kernel.contains("runner")) kernel["runner"]["argv"][0] = own;
  return description;
}

judge::BuiltProgram built(const Folders& folders, const std::string& launcher, bool on_host = false) {
  return {.broker = TILELAB_BROKER,
          .description = described("launcher that " + launcher),
          .launcher = judge::LauncherCall{{}, on_host},
          .native = {},
          .folder = folders.base / "data",
          .scratch = folders.base / "secret"};
}

// out = in + 1. The input does not hold the result.
judge::Trial trial(double step = 7) {
  constexpr std::size_t n = 100;
  std::vector<double> in(n), out(n);
  for (std::size_t i = 0; i < n; ++i) {
    in[i] = 100 + step * static_cast<double>(i);
    out[i] = in[i] + 1;
  }
  return {.shape = "n=" + std::to_string(n),
          .inputs = "counting up",
          .operands = {judge::input("in", ElementType::f32, n, in),
                       judge::output("out", ElementType::f32, {.rows = 1, .columns = n, .values = out}),
                       judge::integer("n", static_cast<int>(n))},
          .launch_arguments = {}};
}

// The same, and other numbers for a launcher that reads some.
judge::Trial followed_trial() {
  judge::Trial one = trial();
  one.altered = std::make_shared<judge::Trial>(trial(3));
  return one;
}

LaunchRecord run(const std::string& launcher, const judge::Trial& one = trial()) {
  const Folders folders;
  return judge::judge_launcher(built(folders, launcher), one);
}

}  // namespace

TEST_CASE("a launcher whose kernel makes the result passes", "[launcher]") {
  const auto launcher = GENERATE("adds one", "goes by way of managed memory", "brings the result to the host and back",
                                 "leaves threads and children at work", "looks at its input");
  CAPTURE(launcher);
  const LaunchRecord record = run(launcher);
  CHECK(record.message.empty());
  CHECK(record.verdict == Verdict::pass);
  CHECK(record.program.at("ended") == "finished");
  CHECK(record.counters.at("output_elements") == 100);
}

TEST_CASE("what the host computed is found out", "[launcher]") {
  const auto launcher =
      GENERATE("computes on the host", "sends what the host computed to a kernel", "sends the host's result piece by piece",
               "hands the host's result over in managed memory", "writes over what a kernel left in managed memory",
               "makes the result of pieces of the input", "sends the host's result in disguise");
  CAPTURE(launcher);
  const bool takes_pieces = std::string(launcher).starts_with("makes");
  const LaunchRecord record = run(launcher, trial(takes_pieces ? 1 : 7));
  CAPTURE(record.message);
  CHECK(record.verdict == Verdict::rejected);
  CHECK(record.message.starts_with("The result is right, but "));
}

TEST_CASE("whatever a host makes of what it read, and however it hands it on, is found out on other numbers", "[launcher]") {
  const auto launcher = GENERATE("sends what it computed from a copy of its input", "computes in managed memory what kernels finish",
                                 "sends the host's result in disguise");
  CAPTURE(launcher);
  const LaunchRecord record = run(launcher, followed_trial());
  CHECK(record.verdict == Verdict::rejected);
  CHECK(record.message.starts_with("The result is right, but the host took part in computing it"));
}

TEST_CASE("a problem may let the host decide by what kernels found", "[launcher]") {
  judge::Trial one = followed_trial();
  one.host_may_read = 2000;
  CHECK(run("sends what it computed from a copy of its input", one).verdict == Verdict::pass);
}

TEST_CASE("a launcher may look at what it likes, and carry numbers from one kernel to the next", "[launcher]") {
  const auto launcher = GENERATE("adds one", "goes by way of managed memory", "brings the result to the host and back",
                                 "looks at its input", "looks at all that its kernels make", "carries its input to a kernel");
  CAPTURE(launcher);
  const LaunchRecord record = run(launcher, followed_trial());
  CHECK(record.message.empty());
  CHECK(record.verdict == Verdict::pass);
}

TEST_CASE("what the host writes while a kernel runs is not the kernel's", "[launcher]") {
  CHECK(run("writes to managed memory while a kernel runs").verdict != Verdict::pass);
}

TEST_CASE("a launcher on memory of the host passes, and computing there is found out", "[launcher]") {
  const Folders folders;
  auto program = built(folders, "computes on the host", true);
  program.description = described("launcher on memory of the host");
  const LaunchRecord right = judge::judge_launcher(program, trial());
  CAPTURE(right.message);
  CHECK(right.verdict == Verdict::pass);
  CHECK(judge::judge_launcher(built(folders, "computes on the host", true), trial()).verdict == Verdict::rejected);
}

TEST_CASE("a launcher's mistakes have their verdicts", "[launcher]") {
  const auto [launcher, verdict, message] = GENERATE(table<std::string, Verdict, std::string>(
      {{"finishes before its kernel", Verdict::wrong_answer, "100 of 100 elements were never written: "},
       {"forgets everything", Verdict::wrong_answer, "100 of 100 elements were never written: "},
       {"forgets the end", Verdict::wrong_answer, "1 of 100 elements are wrong"},
       {"ends the program", Verdict::crash, "The launcher did not come back"},
       {"gives back an operand", Verdict::crash, "a mistake of the host's code: bad-free"},
       {"resets the device", Verdict::crash, "a mistake of the host's code: bad-free"},
       {"changes its input", Verdict::input_modified, "in is an input"},
       {"clears its input", Verdict::input_modified, "in is an input"},
       {"calls its kernel like a function", Verdict::launch_error, "a mistake of the host's code: not-configured"},
       {"writes nonsense to its socket", Verdict::rejected, "The program broke its connection to the grader."},
       {"calls what the library cannot do", Verdict::needs_gpu, "Views are missing here."},
       {"asks for other operands", Verdict::internal_error, "the program's run broke off"},
       {"fills its folder", Verdict::timeout, "The program was stopped: it wrote more than 10000 files and folders."},
       {"uses up its processor time", Verdict::timeout, "The program did not end in its time"},
       {"prints without end", Verdict::timeout, "The program was stopped: it wrote more than 16 MiB of output."}}));
  CAPTURE(launcher);
  const LaunchRecord record = run(launcher);
  CHECK(record.verdict == verdict);
  CHECK(record.message.substr(0, message.size()) == message);
}

TEST_CASE("the call that writes to an input is told, and not only that it was written", "[launcher]") {
  const LaunchRecord record = run("clears its input");
  CHECK(record.findings.empty());
  REQUIRE(record.program.at("host").size() == 1);
  CHECK(record.program.at("host")[0].at("kind") == "input-modified");
  CHECK(record.program.at("host")[0].at("at") == 61);
}

TEST_CASE("a launcher that never comes back is ended", "[launcher]") {
  judge::Trial one = trial();
  one.clock_ms = 100;
  CHECK(run("never comes back", one).verdict == Verdict::timeout);
}

TEST_CASE("whatever a launcher does with signals, the limit that it met is told", "[launcher]") {
  const auto [launcher, verdict, message] = GENERATE(table<std::string, Verdict, std::string>(
      {{"ignores the end of its processor time", Verdict::timeout,
        "The program did not end in its time: its host code has used 0.3 seconds"},
       {"keeps a child at work and asks without end", Verdict::timeout, "The program did not end in its time: its host code has used 0.3"},
       {"writes a file beyond its size", Verdict::timeout, "The program writes a larger file than it may: a file may have 1 MiB."},
       {"does not look whether its file was written", Verdict::timeout, "The program writes a larger file than it may: a file may"},
       {"is refused memory", Verdict::crash, "The program needs more memory than it may use on the host: it may have 64 MiB."}}));
  CAPTURE(launcher);
  const Folders folders;
  judge::BuiltProgram program = built(folders, launcher);
  program.description["limits"].update({{"host_clock_ms", 300}, {"file_bytes", 1 << 20}, {"host_bytes", 64 << 20}});
  const LaunchRecord record = judge::judge_launcher(program, trial());
  CHECK(record.verdict == verdict);
  CHECK(record.message.substr(0, message.size()) == message);
}

TEST_CASE("a run has no more than its share of the time", "[launcher]") {
  const auto [launcher, share, said] = GENERATE(table<std::string, judge::RunShare, std::string>(
      {{"never comes back", {std::chrono::milliseconds(200), 0}, "it was stopped after 0.2 seconds, in which it made 2 calls of CUDA."},
       {"never comes back", {std::chrono::seconds(60), 1}, "for 0.6 seconds it did nothing but wait."},
       {"ignores the end of its processor time", {std::chrono::seconds(60), 2}, "its host code has used 0.3 seconds of processor time."}}));
  const Folders folders;
  judge::BuiltProgram program = built(folders, launcher);
  program.description["limits"].update({{"host_clock_ms", 1200}, {"idle_ms", 1200}});
  program.share = [share = share] { return share; };
  const LaunchRecord record = judge::judge_launcher(program, trial());
  CHECK(record.verdict == Verdict::timeout);
  CHECK(record.message == "The program did not end in its time: " + said);
}

TEST_CASE("memory that a launcher keeps is told, and its operands are no leak", "[launcher]") {
  const LaunchRecord record = run("keeps something back");
  CHECK(record.verdict == Verdict::pass);
  REQUIRE(record.program.at("host").size() == 1);
  CHECK(record.program.at("host")[0].at("kind") == "leak");
  CHECK(record.program.at("host")[0].at("at") == 77);
}

TEST_CASE("a run finds nothing that another run left in its folder", "[launcher]") {
  const Folders folders;
  const auto program = built(folders, "leaves notes for the next run");
  for (int i = 0; i < 2; ++i) {
    const LaunchRecord record = judge::judge_launcher(program, trial());
    CAPTURE(i, record.message);
    CHECK(record.verdict == Verdict::pass);
  }
}

TEST_CASE("the operands come in the order that the lab says", "[launcher]") {
  const judge::Trial one = trial();
  const auto ordered = judge::in_order(one, {"n", "out", "in"});
  REQUIRE(ordered.size() == 3);
  CHECK(ordered[0]->name == "n");
  CHECK(ordered[2]->name == "in");
  CHECK(judge::in_order(one, {}).at(0)->name == "in");
  CHECK_THROWS_AS(judge::in_order(one, {"in", "result"}), std::runtime_error);
}

TEST_CASE("a launcher's run can be watched with one of its launches followed", "[launcher]") {
  const Folders folders;
  const judge::BuiltProgram program = built(folders, "adds one");
  const LaunchRecord survey = judge::watch_launcher(program, trial(), false, nullptr);
  CHECK(survey.verdict == Verdict::pass);
  REQUIRE_FALSE(survey.program.at("launches").empty());
  CHECK_FALSE(survey.program.contains("traced"));
  CHECK_FALSE(survey.program.contains("reversed"));
  const nlohmann::json followed = {{"launch", 1}, {"of", {{"block", {0, 0, 0}}}}, {"reversed", false}};
  const LaunchRecord watched = judge::watch_launcher(program, trial(), true, followed);
  CHECK(watched.verdict == Verdict::pass);
  CHECK(watched.program.at("traced").at("number") == 1);
  CHECK(watched.program.at("reversed") == true);
}
