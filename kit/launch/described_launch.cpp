// Runs a described launch, and again with other contents or in another order where only that tells what was a mistake.
#include "launch/launch_description.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "judge/decision/launch_judge.hpp"
#include "judge/process/runner_process.hpp"

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

}  // namespace

LaunchRecord check_launch(judge::RunnerProcess& runner, const LaunchDescription& launch) {
  LaunchRecord record;
  const Files files(launch, false);
  const Ending ending = take_answer(record, runner.launch(files.request, files.files));
  if (ending != Ending::nothing) record.message = reason(record);
  if (ending == Ending::whole) look_from_the_other_end(record, runner, launch, files);
  if (ending == Ending::whole && record.verdict == Verdict::uninitialized_read) forgive_discarded_reads(record, runner, launch, files);
  return record;
}

}  // namespace tilelab::checker
