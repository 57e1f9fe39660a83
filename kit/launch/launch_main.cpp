// Runs one launch of a kernel in a runner and writes down what somebody asked of it:
//   check  a launch that somebody described, under every detector
//   time   how long kernels take on a GPU, run against each other, and whether the outputs that were kept are right
// It grades nothing, is trusted, and never loads a submission itself. It is linked twice: `launch` knows no problem, which `check` does not
// need; `launch-problem` knows all. Exit status: 0 the report is written, whatever the launch's result; 2 it cannot be done as asked; 3 it
// could not work. The reason is one line on standard error.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/decision/launch_judge.hpp"
#include "judge/process/runner_process.hpp"
#include "judge/random_stream.hpp"
#include "judge/report/record.hpp"
#include "judge/timed_problem.hpp"
#include "launch/launch_description.hpp"
#include "options/program_options.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/protocol.hpp"
#include "protocol/timed_input.hpp"

namespace tilelab::checker {
namespace {

using judge::Ending;
using judge::LaunchRecord;
using protocol::Role;

// What unwritten bytes hold. In the first run, all hold this value, which makes a NaN. In the second run, each place holds
// another value. So a copy of unwritten memory can be told from a place that nobody wrote.
constexpr std::byte unwritten{0xFF};
constexpr std::uint8_t other_shared_poison = 0x42;
constexpr std::uint64_t other_contents = 0x7e57;

std::uint64_t scalar_bits(const ArgumentContent& argument) {
  const BufferShape shape{.elements = 1, .element_bytes = argument.scalar.bytes, .leaves = {argument.scalar}};
  const std::vector<std::byte> bytes = bytes_of(shape, argument.content, judge::RandomStream(0), unwritten);
  std::uint64_t bits = 0;
  std::memcpy(&bits, bytes.data(), bytes.size());
  return bits;
}

bool is_buffer(const protocol::Argument& argument) { return argument.role != Role::scalar && argument.role != Role::object; }

// An object's bytes as whole words, with zeros behind them.
std::vector<std::uint64_t> words_of(const ArgumentContent& argument) {
  std::vector<std::byte> bytes((argument.shape.element_bytes + 7) / 8 * 8);
  set_numbers(bytes, argument.numbers);
  std::vector<std::uint64_t> words(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

// The runner writes addresses there and takes them back.
void clear_pointers(std::vector<std::byte>& bytes, const std::vector<protocol::PointerAt>& pointers) {
  for (const protocol::PointerAt& one : pointers) {
    if (one.offset + sizeof(std::uint64_t) > bytes.size()) throw std::out_of_range("a pointer lies outside its buffer");
    std::memset(bytes.data() + one.offset, 0, sizeof(std::uint64_t));
  }
}

std::vector<std::byte> anything(std::size_t bytes, judge::RandomStream random) {
  std::vector<std::byte> content(bytes);
  for (std::byte& one : content) one = static_cast<std::byte>(random.bits());
  return content;
}

// A launch's buffers, and the request that describes them.
struct Files {
  std::vector<judge::MemoryFile> files;
  protocol::LaunchRequest request;

  Files(const LaunchDescription& launch, bool again) : request(launch.request) {
    request.traffic = !again;
    if (again) {
      request.trace.reset();
      request.shared_poison = other_shared_poison;
    }
    for (std::size_t i = 0; i < request.arguments.size(); ++i) fill(i, launch.contents[i], launch.seed, again);
  }

 private:
  void fill(std::size_t position, const ArgumentContent& described, std::uint64_t seed, bool again) {
    protocol::Argument& argument = request.arguments[position];
    if (argument.role == Role::scalar) argument.bits = argument.texture ? protocol::texture_handle(position) : scalar_bits(described);
    if (argument.role == Role::object) argument.words = words_of(described);
    if (!is_buffer(argument)) return;
    const bool changes = again && described.content.fill == Fill::none;
    const judge::SecretKey key = judge::SecretKey::from_number(changes ? other_contents : seed);
    const judge::RandomStream random(key.derive(argument.name, position));
    std::vector<std::byte> bytes =
        changes ? anything(argument.bytes, random) : bytes_of(described.shape, described.content, random, unwritten);
    set_numbers(bytes, described.numbers);
    clear_pointers(bytes, argument.pointers);
    files.emplace_back(bytes);
  }
};

// True if each byte is equal in both runs, or was written in neither. `untouched`: what the second run's buffers held before it.
bool same_results(const Files& first, const Files& second, const std::vector<std::vector<std::byte>>& untouched) {
  for (std::size_t i = 0; i < first.files.size(); ++i) {
    const std::vector<std::byte> one = first.files[i].bytes(), other = second.files[i].bytes();
    for (std::size_t at = 0; at < one.size(); ++at) {
      if (one[at] != other[at] && (one[at] != unwritten || other[at] != untouched[i][at])) return false;
    }
  }
  return true;
}

void forgive_discarded_reads(LaunchRecord& record, judge::RunnerProcess& runner, const LaunchDescription& launch, const Files& first) {
  const Files second(launch, true);
  std::vector<std::vector<std::byte>> untouched;
  for (const judge::MemoryFile& file : second.files) untouched.push_back(file.bytes());
  LaunchRecord again;
  const Ending ending = take_answer(again, runner.launch(second.request, second.files));
  if (ending != Ending::whole || again.printed != record.printed || !same_results(first, second, untouched)) return;
  for (protocol::Finding& finding : record.findings) finding.severity = "note";
  record.verdict = Verdict::pass;
  record.message.clear();
}

bool has_errors(const LaunchRecord& record) {
  return std::ranges::any_of(record.findings, [](const protocol::Finding& one) { return one.severity == "error"; });
}

judge::Explanation told(const std::string& buffer, const OrderDifference& difference) {
  const std::string element = buffer + "[" + std::to_string(difference.element) + "]";
  const std::string others = difference.elements == 1 ? "" : ", and " + std::to_string(difference.elements - 1) + " more elements differ";
  return {"order-dependent",
          element + " is " + difference.first + " when blocks and threads run in their order, but " + difference.other +
              " when they run in the reverse order" + others + ". On a GPU the order changes from run to run.",
          "This is not a mistake if all these results are acceptable, such as any order of a list that threads append to. If not, find a "
          "value that one thread gets from another, through memory or from an atomic function. What makes sure that it is written before "
          "it is read?"};
}

// Runs blocks and threads again in reverse order. If only fences and atomics ordered some accesses, findings of this run count as
// well. Otherwise a changed result is only reported.
void look_from_the_other_end(LaunchRecord& record, judge::RunnerProcess& runner, const LaunchDescription& launch, const Files& first) {
  Files second(launch, false);
  second.request.traffic = false;
  second.request.trace.reset();
  second.request.reversed = true;
  LaunchRecord again;
  const Ending ending = take_answer(again, runner.launch(second.request, second.files));
  if (ending != Ending::nothing) again.message = reason(again);
  const bool comparable = ending == Ending::whole && !has_errors(record) && !has_errors(again);
  if (record.needs_reversed_run) take_over(record, std::move(again));
  if (!comparable) return;
  std::size_t file = 0;
  for (std::size_t i = 0; i < launch.contents.size(); ++i) {
    const protocol::Argument& argument = launch.request.arguments[i];
    if (!is_buffer(argument)) continue;
    const std::vector<std::byte> one = first.files[file].bytes(), other = second.files[file].bytes();
    ++file;
    if (argument.role == Role::input) continue;
    if (const auto difference = compare_orders(launch.contents[i].shape, one, other)) {
      record.explanation = told(argument.name, *difference);
      return;
    }
  }
}

// Runs a described launch and says what was found in it. There is no right answer to compare with: the verdict is the worst of
// the findings, or how the launch ended.
//
// If reads of unwritten memory are the only findings, the launch runs again with other values in that memory. If the results are
// the same, nothing used what was read, and the findings become notes.
LaunchRecord check_launch(judge::RunnerProcess& runner, const LaunchDescription& launch) {
  LaunchRecord record;
  const Files files(launch, false);
  const Ending ending = take_answer(record, runner.launch(files.request, files.files));
  if (ending != Ending::nothing) record.message = reason(record);
  if (ending == Ending::whole) look_from_the_other_end(record, runner, launch, files);
  if (ending == Ending::whole && record.verdict == Verdict::uninitialized_read) forgive_discarded_reads(record, runner, launch, files);
  return record;
}

}  // namespace
}  // namespace tilelab::checker

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
constexpr std::size_t kept_bytes_at_most = std::size_t{256} << 20, most_written = 4;

std::size_t output_bytes(const judge::TimedWork& work) {
  std::size_t bytes = 0;
  for (const protocol::Argument& argument : work.arguments) {
    if (argument.role != protocol::Role::input && argument.role != protocol::Role::scalar) bytes += argument.bytes;
  }
  return bytes;
}

// A problem that stands in lab.toml. grader/run/speed/described_timing.py writes the file, and looks itself at what write_round() writes.
judge::TimedWork described_work(const std::string& path) {
  const json described = json_of(path);
  judge::TimedWork work{.shape = described.at("shape"), .arguments = {}, .launch_arguments = {}, .inspect = {}};
  for (const json& one : described.at("buffers")) {
    const auto name = one.at("name").get<std::string>();
    work.arguments.push_back(judge::timed_buffer(name.c_str(), one.at("role"), one.at("rows"), one.at("pitch")));
    work.bytes += static_cast<double>(work.arguments.back().bytes);
  }
  work.inspect = [](std::uint64_t, std::span<const float>, judge::RandomStream) { return judge::Inspection{}; };
  return work;
}

// What the buffers of a round held, and then what the results did, for whoever knows the formula.
void write_round(const std::string& path, const judge::TimedWork& work, std::uint64_t seed, std::span<const float> output) {
  std::vector<float> all;
  for (std::size_t buffer = 0; buffer < work.arguments.size(); ++buffer) {
    const std::size_t count = work.arguments[buffer].bytes / sizeof(float);
    const bool is_input = work.arguments[buffer].role != protocol::Role::output;
    for (std::size_t i = 0; i < count && is_input; ++i)
      all.push_back(timed_input::value(timed_input::stream(seed, buffer), i, timed_input::is_whole(seed)));
  }
  all.insert(all.end(), output.begin(), output.end());
  write_file(path, all.data(), all.size() * sizeof(float));
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

json look(const judge::TimedWork& work, const protocol::TimingRequest& request, const judge::MemoryFile& kept, judge::RandomStream& random,
          const std::string& written) {
  json looked = nothing_looked_at;
  looked["looked_at"] = request.kept_rounds.size();
  json &faults = looked["faults"], &elements = looked["elements"], &relative_error = looked["relative_error"];
  const std::vector<std::byte> bytes = kept.bytes();
  const std::size_t each = output_bytes(work);
  std::vector<float> output(each / sizeof(float));
  for (std::size_t i = 0; i < request.kept_rounds.size(); ++i) {
    std::memcpy(output.data(), bytes.data() + i * each, each);
    const unsigned round = request.kept_rounds[i];
    const std::uint64_t seed = request.round_seeds.at(round);
    const auto inspection = work.inspect(seed, output, judge::RandomStream(random.bits()));
    if (!written.empty()) {
      const std::string path = written + "-" + std::to_string(round);
      write_round(path, work, seed, output);
      looked["written"].push_back({{"round", round}, {"file", path}, {"whole", timed_input::is_whole(seed)}});
    }
    if (inspection.relative_error >= 0)
      relative_error = std::max(relative_error.is_null() ? 0.0 : relative_error.get<double>(), inspection.relative_error);
    if (!inspection.fault.empty()) faults.push_back({{"round", round}, {"fault", inspection.fault}});
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
// use the device. Then whoever started this program waits until nobody else uses the device, and sends a line: the most milliseconds of
// warm-up that are needed now. No number, or the end of input, means as many as were asked for.
protocol::TimingReply timed(const ProgramOptions& options, protocol::TimingRequest request, const judge::MemoryFile& kept) {
  judge::RunnerProcess runner(runner_of(options));
  const auto limit = std::chrono::milliseconds(options.number<unsigned>("limit-ms"));
  protocol::TimingReply reply = reply_of(runner.ask(protocol::prepare_to_time, limit, {}), request.kept_contestant);
  if (reply.status != protocol::Status::completed) return reply;
  std::cout << prepared << std::endl;
  std::string word;
  std::getline(std::cin, word);
  unsigned needed_ms = request.warm_up_ms;
  std::from_chars(word.data(), word.data() + word.size(), needed_ms);
  request.warm_up_ms = std::min(request.warm_up_ms, needed_ms);
  reply = reply_of(runner.ask(json_text(request), limit, {kept.descriptor()}), request.kept_contestant);
  std::cout << device_is_free
            << std::endl;  // now, because ending the runner takes a while, and verifying outputs takes longer than all launches
  return reply;
}

json time(const ProgramOptions& options) {
  const std::string described = options.has("described") ? options.text("described") : "";
  for (const std::string needed : {"problem", "shape"})
    if (described.empty() && !options.has(needed)) options.refuse("--" + needed + " is missing");
  const judge::TimedWork work =
      described.empty() ? judge::work_to_time(options.text("problem"), options.text("shape")) : described_work(described);
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
  const std::size_t fewer = described.empty() ? 0 : kept_bytes_at_most / most_written;
  request.kept_rounds = rounds_to_keep(rounds, std::max(output_bytes(work), fewer), random);
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
  report.update(completed ? look(work, request, kept, random, described.empty() ? "" : options.text("report")) : nothing_looked_at);
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
           "--problem NAME --shape 1024x1024x1024 (or --described FILE) --seed N --rounds N --warm-up-ms N --limit-ms N --kept CONTESTANT",
           {{"problem", OptionRule::Kind::optional},
            {"shape", OptionRule::Kind::optional},
            {"described", OptionRule::Kind::optional},
            {"seed"},
            {"rounds"},
            {"warm-up-ms"},
            {"limit-ms"},
            {"kept"}},
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
