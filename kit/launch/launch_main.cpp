// Runs one launch of a kernel in a runner and writes down what somebody asked of it:
//   check  a launch that somebody described, under every detector
//   time   how long kernels take on a GPU, run against each other, and whether the outputs that were kept are right
// It grades nothing, is trusted, and never loads a submission itself. It is linked twice: `launch` knows no problem, which `check` does not
// need; `launch-problem` knows all. Exit status: 0 the report is written, whatever the launch's result; 2 it cannot be done as asked; 3 it
// could not work. The reason is one line on standard error.
#include <algorithm>
#include <cstring>
#include <iostream>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/process/runner_process.hpp"
#include "judge/random_stream.hpp"
#include "judge/report/record.hpp"
#include "judge/timed_problem.hpp"
#include "launch/launch_description.hpp"
#include "options/program_options.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/protocol.hpp"

namespace {

using namespace tilelab;
using nlohmann::json;

std::vector<std::string> runner_of(const ProgramOptions& options) { return judge::read_runner_argv(options.text("runner")); }

// --- check

json check(const ProgramOptions& options) {
  const checker::LaunchDescription launch = checker::read_description(options.text("launch"));
  judge::RunnerProcess runner(runner_of(options));
  const judge::LaunchRecord record = checker::check_launch(runner, launch);
  json report = record;
  report["metrics"] = record.traffic ? json(record.traffic->metrics) : json::object();
  if (record.trace) report["trace"] = *record.trace;
  return report;
}

// --- time

constexpr std::string_view prepared = "prepared", device_is_free = "the device is free";
constexpr std::size_t kept_bytes_at_most = std::size_t{256} << 20;

std::size_t output_bytes(const judge::TimedWork& work) {
  std::size_t bytes = 0;
  for (const protocol::Argument& argument : work.arguments) {
    if (argument.role == protocol::Role::output) bytes += argument.bytes;
  }
  return bytes;
}

// As many rounds as fit, chosen at random so that no kernel can know which.
std::vector<unsigned> rounds_to_keep(unsigned rounds, std::size_t bytes, judge::RandomStream& random) {
  std::vector<unsigned> all(rounds);
  std::iota(all.begin(), all.end(), 0u);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.bits() % i]);
  all.resize(std::min<std::size_t>(all.size(), std::max<std::size_t>(1, kept_bytes_at_most / bytes)));
  std::ranges::sort(all);
  return all;
}

// `relative_error` is the largest of any output; null: none was looked at for it.
const json nothing_looked_at{{"looked_at", 0}, {"faults", json::array()}, {"elements", json::array()}, {"relative_error", nullptr}};

json look(const judge::TimedWork& work, const protocol::TimingRequest& request, const judge::MemoryFile& kept,
          judge::RandomStream& random) {
  json looked = nothing_looked_at;
  looked["looked_at"] = request.kept_rounds.size();
  json &faults = looked["faults"], &elements = looked["elements"], &relative_error = looked["relative_error"];
  const std::vector<std::byte> bytes = kept.bytes();
  const std::size_t each = output_bytes(work);
  std::vector<float> output(each / sizeof(float));
  for (std::size_t i = 0; i < request.kept_rounds.size(); ++i) {
    std::memcpy(output.data(), bytes.data() + i * each, each);
    const auto inspection = work.inspect(request.round_seeds.at(request.kept_rounds[i]), output, judge::RandomStream(random.bits()));
    if (inspection.relative_error >= 0)
      relative_error = std::max(relative_error.is_null() ? 0.0 : relative_error.get<double>(), inspection.relative_error);
    if (!inspection.fault.empty()) faults.push_back({{"round", request.kept_rounds[i]}, {"fault", inspection.fault}});
    if (!elements.empty() && inspection.fault.empty()) continue;
    if (!inspection.elements.empty()) elements = json::array();  // elements of a wrong output replace the others
    for (const judge::SampledElement& one : inspection.elements) {
      elements.push_back({{"row", one.row},
                          {"column", one.column},
                          {"expected", one.expected},
                          {"actual", one.actual},
                          {"relative_error", one.relative_error}});
    }
    if (!inspection.fault.empty()) break;  // one wrong output is enough
  }
  return looked;
}

// A runner that hangs or dies cannot say whose kernel was running. It is taken to be the student's: the other kernels are ours
// and have run before.
protocol::TimingReply reply_of(const judge::Answer& answer, unsigned student) {
  protocol::TimingReply reply;
  reply.contestant = student;
  switch (answer.kind) {
    case judge::Answer::Kind::reply: try { return json_from(answer.text).get<protocol::TimingReply>();
      } catch (const json::exception& error) {
        reply.status = protocol::Status::crash;
        reply.detail = std::string("the runner answered nonsense: ") + error.what();
        return reply;
      }
    case judge::Answer::Kind::timeout: reply.status = protocol::Status::timeout; break;
    case judge::Answer::Kind::garbled: reply.status = protocol::Status::crash; break;
    case judge::Answer::Kind::died:  // here the kernel runs in the runner itself
      reply.status = status_of_ours(answer.end);
      break;
    case judge::Answer::Kind::never_started: reply.status = protocol::Status::internal_error; break;
  }
  reply.detail = answer.text;
  return reply;
}

// The runner uses the device in two steps. First it makes its context and does all else that takes long, while other programs may
// use the device. Then whoever started this program waits until nobody else uses the device, and sends a line. End of input means:
// go on.
protocol::TimingReply timed(const ProgramOptions& options, const protocol::TimingRequest& request, const judge::MemoryFile& kept) {
  judge::RunnerProcess runner(runner_of(options));
  const auto limit = std::chrono::milliseconds(options.number<unsigned>("limit-ms"));
  protocol::TimingReply reply = reply_of(runner.ask(protocol::prepare_to_time, limit, {}), request.kept_contestant);
  if (reply.status != protocol::Status::completed) return reply;
  std::cout << prepared << std::endl;
  std::string word;
  std::getline(std::cin, word);
  reply = reply_of(runner.ask(json_text(request), limit, {kept.descriptor()}), request.kept_contestant);
  std::cout << device_is_free
            << std::endl;  // now, because ending the runner takes a while, and verifying outputs takes longer than all launches
  return reply;
}

json time(const ProgramOptions& options) {
  const judge::TimedWork work = judge::work_to_time(options.text("problem"), options.text("shape"));
  judge::RandomStream random(judge::SecretKey::from_number(options.number<std::uint64_t>("seed")).derive("timer", 0));
  protocol::TimingRequest request;
  request.launch.arguments = work.arguments;
  request.launch.launch_arguments = work.launch_arguments;
  const auto rounds = options.number<unsigned>("rounds");
  request.warm_up_ms = options.number<unsigned>("warm-up-ms");
  request.kept_contestant = options.number<unsigned>("kept");
  if (rounds == 0 || rounds > protocol::most_rounds) options.refuse("--rounds is from 1 to " + std::to_string(protocol::most_rounds));
  for (unsigned round = 0; round < rounds; ++round) request.round_seeds.push_back(random.bits());
  request.warm_up_seed = random.bits();
  request.kept_rounds = rounds_to_keep(rounds, output_bytes(work), random);
  const judge::MemoryFile kept{std::vector<std::byte>(request.kept_rounds.size() * output_bytes(work))};

  const protocol::TimingReply reply = timed(options, request, kept);
  json report = reply;
  const bool counted = std::ranges::all_of(reply.nanoseconds, [&](const std::vector<double>& times) { return times.size() == rounds; });
  if (reply.status == protocol::Status::completed && (reply.nanoseconds.empty() || !counted)) {
    report["status"] = protocol::Status::crash;
    report["detail"] = "the runner did not time every round";
  }
  report.update({{"shape", work.shape}, {"flops", work.flops}, {"bytes", work.bytes}});
  const bool completed = report["status"] == json(protocol::Status::completed);
  report.update(completed ? look(work, request, kept, random) : nothing_looked_at);
  return report;
}

// ---

struct Mode {
  std::string_view name, usage;
  std::vector<OptionRule> rules;  // besides --runner and --report
  json (*report)(const ProgramOptions&);
};

std::vector<Mode> modes() {
  return {{"check", "--launch LAUNCH.json", {{"launch"}}, check},
          {"time",
           "--problem NAME --shape 1024x1024x1024 --seed N --rounds N --warm-up-ms N --limit-ms N --kept CONTESTANT",
           {{"problem"}, {"shape"}, {"seed"}, {"rounds"}, {"warm-up-ms"}, {"limit-ms"}, {"kept"}},
           time}};
}

void write_down(int argc, char** argv) {
  const std::string asked = argc > 1 ? argv[1] : "";
  for (Mode& mode : modes()) {
    if (mode.name != asked) continue;
    std::string program = "launch " + asked;
    argv[1] = program.data();
    mode.rules.insert(mode.rules.end(), {{"runner"}, {"report"}});
    const std::string usage = "usage: " + program + " " + std::string(mode.usage) + " --runner RUNNER.json --report REPORT.json";
    const ProgramOptions options(argc - 1, argv + 1, mode.rules, usage);
    return judge::write_report(options.text("report"), json_text(mode.report(options)) + "\n");
  }
  throw OptionError("launch: the first word is check or time, not '" + asked + "'");
}

}  // namespace

int main(int argc, char** argv) {
  return run_program("launch", 3, [&] { write_down(argc, argv); });
}
