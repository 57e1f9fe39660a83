// Runs cases that the grader has made from a lab's own description: lab.toml says what the numbers are, and no C++ of the lab is compiled.
// What is read here is our grader's, so it is believed. grader/run/described_cases.py writes it, and says what is in it.
#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/bench.hpp"
#include "judge/program_bench.hpp"
#include "judge/programs/host_code.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

using nlohmann::json;

// The numbers and bytes of all trials lie in one file, and the description says where: [offset, count].
class Blob {
 public:
  explicit Blob(const std::string& path) : content_(content_of(path)) {}

  std::vector<double> numbers(const json& at) const {
    const std::string_view bytes = slice(at, sizeof(double));
    std::vector<double> all(bytes.size() / sizeof(double));
    if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
    return all;
  }
  std::vector<std::byte> bytes(const json& at) const {
    const auto all = std::as_bytes(std::span(slice(at, 1)));
    return {all.begin(), all.end()};
  }

 private:
  std::string_view slice(const json& at, std::size_t size) const {
    const auto offset = at.at(0).get<std::size_t>(), count = at.at(1).get<std::size_t>();
    if (offset > content_.size() || count > (content_.size() - offset) / size) throw std::runtime_error("the cases' numbers are cut short");
    return std::string_view(content_).substr(offset, count * size);
  }
  std::string content_;
};

template <std::size_t Count>
std::size_t place_in(const std::array<std::string_view, Count>& names, const json& one) {
  const auto found = std::ranges::find(names, one.get<std::string>());
  if (found == names.end()) throw std::runtime_error("the cases name an unknown kind: " + one.get<std::string>());
  return static_cast<std::size_t>(found - names.begin());
}

ElementType type_of(const json& one) {
  constexpr std::array<std::string_view, 12> names{"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"};
  return static_cast<ElementType>(place_in(names, one.at("type")));
}

Expectation expectation_of(const json& one, const Blob& blob) {
  Expectation right{.rows = one.at("rows").get<std::size_t>(), .columns = one.at("columns").get<std::size_t>(), .values = {}};
  right.values = blob.numbers(one.at("values"));
  if (one.contains("bounds")) right.bounds = blob.numbers(one.at("bounds"));
  right.rule = one.value("rule", "");
  return right;
}

Operand operand_of(const json& one, const Blob& blob) {
  constexpr std::array<std::string_view, 4> kinds{"input", "output", "inout", "scalar"};
  Operand operand{.name = one.at("name").get<std::string>(),
                  .kind = static_cast<Operand::Kind>(place_in(kinds, one.at("kind"))),
                  .type = type_of(one),
                  .columns = one.value("columns", std::size_t{0}),
                  .number = one.value("number", 0.0)};
  if (one.contains("values")) operand.values = blob.numbers(one.at("values"));
  if (one.contains("expected")) operand.expectation = expectation_of(one.at("expected"), blob);
  return operand;
}

Trial launch_of(const json& one, const Blob& blob) {
  Trial trial{.shape = one.at("shape").get<std::string>(),
              .inputs = one.at("inputs").get<std::string>(),
              .operands = {},
              .launch_arguments = one.value("launch_arguments", std::vector<int>())};
  for (const json& operand : one.at("operands")) trial.operands.push_back(operand_of(operand, blob));
  if (one.contains("altered")) trial.altered = std::make_shared<const Trial>(launch_of(one.at("altered"), blob));
  return trial;
}

std::vector<DataFile> files_of(const json& list, const Blob& blob) {
  std::vector<DataFile> all;
  for (const json& one : list) {
    DataFile& file = all.emplace_back(DataFile{.name = one.at("name").get<std::string>(), .content = blob.bytes(one.at("content"))});
    file.type = type_of(one);
    file.numbers = encoded(*file.type, blob.numbers(one.at("numbers")));
  }
  return all;
}

ResultFile result_of(const json& one, const Blob& blob) {
  constexpr std::array<std::string_view, 3> kinds{"either", "text", "binary"};
  ResultFile result{one.at("name").get<std::string>(), type_of(one), expectation_of(one.at("expected"), blob), {}};
  result.form = {.kind = static_cast<ResultForm::Kind>(place_in(kinds, one.at("form"))),
                 .header = one.at("header").get<std::vector<double>>(),
                 .header_type = type_of(one.at("header_of")),
                 .behind = one.value("behind", "")};
  return result;
}

ProgramTrial program_of(const json& one, const Blob& blob) {
  ProgramTrial trial;
  trial.shape = one.at("shape").get<std::string>();
  trial.inputs = one.at("inputs").get<std::string>();
  trial.arguments = one.at("arguments").get<std::vector<std::string>>();
  trial.files = files_of(one.at("files"), blob);
  for (const json& result : one.at("results")) trial.other_results.push_back(result_of(result, blob));
  ResultFile first = std::move(trial.other_results.at(0));
  trial.other_results.erase(trial.other_results.begin());
  trial.output = std::move(first.name);
  trial.type = first.type;
  trial.expectation = std::move(first.expectation);
  trial.form = std::move(first.form);
  if (one.contains("altered")) {
    AlteredFiles& other = trial.altered.emplace();
    other.files = files_of(one.at("altered").at("files"), blob);
    for (const json& right : one.at("altered").at("expected")) other.others.push_back(expectation_of(right, blob));
    other.expectation = std::move(other.others.at(0));
    other.others.erase(other.others.begin());
  }
  return trial;
}

void run_case(const json& one, const Blob& blob) {
  bench().open_case(one.at("name").get<std::string>(), {one.at("tag").get<std::string>()});
  std::string trouble;
  try {
    for (const json& trial : one.at("trials")) {
      const LaunchRecord launch = trial.contains("operands") ? bench().run(launch_of(trial, blob)) : run_program(program_of(trial, blob));
      if (launch.verdict == Verdict::pass) continue;
      trouble = launch.message;
      break;
    }
  } catch (const std::exception& error) {
    trouble = error.what();
  }
  bench().close_case(trouble.empty(), trouble);
}

}  // namespace

void run_described_cases(const std::string& path, const JudgeTask& task, bool until_failure) {
  const json description = json_of(path);
  const Blob blob(description.at("numbers").get<std::string>());
  std::vector<std::string> order;
  for (const auto& group : task.groups) order.insert(order.end(), group.begin(), group.end());
  for (const json& one : description.at("cases")) {
    const auto name = one.at("name").get<std::string>();
    if ((task.and_others || task.groups.empty()) && std::ranges::find(order, name) == order.end()) order.push_back(name);
  }
  for (const std::string& name : order) {
    const auto& all = description.at("cases");
    const auto found = std::find_if(all.begin(), all.end(), [&](const json& one) { return one.at("name") == name; });
    if (found == all.end()) continue;
    run_case(*found, blob);
    if (until_failure && !bench().cases().back().passed) return;
  }
}

}  // namespace tilelab::judge
