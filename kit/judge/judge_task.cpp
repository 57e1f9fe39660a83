// What passes between the grader and a judge besides the record of its cases.
#include "judge/report/record.hpp"

#include <exception>
#include <filesystem>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "protocol/json/json_text.hpp"

namespace tilelab::judge {
namespace {

// A case's whole name, whatever is in it.
std::string quoted(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\' || c == ',') text += '\\';
    text += c;
  }
  return text + '"';
}

}  // namespace

std::vector<std::string> JudgeTask::specs() const {
  std::vector<std::string> specs;
  std::string none_of_them;  // side by side, patterns must all hold
  for (const auto& group : groups) {
    std::string any_of_these;
    for (const std::string& name : group) {
      any_of_these += (any_of_these.empty() ? "" : ",") + quoted(name);
      none_of_them += "~" + quoted(name);
    }
    if (!group.empty()) specs.push_back(any_of_these);
  }
  if (and_others && !none_of_them.empty()) specs.push_back(none_of_them);
  return specs;
}

JudgeTask read_task(std::istream& input) {
  try {
    const auto value = json_from(input);
    JudgeTask task;
    task.key = SecretKey::from_hex(value.at("key").get<std::string>());
    task.groups = value.value("groups", task.groups);
    task.and_others = value.value("and_others", false);
    return task;
  } catch (const std::exception&) {
    throw std::runtime_error("standard input holds no task");  // not what it held: there is a secret in it
  }
}

std::vector<std::string> read_runner_argv(const std::string& path) {
  auto argv = json_of(path).at("argv").get<std::vector<std::string>>();
  if (argv.empty()) throw std::runtime_error(path + ": argv is empty");
  return argv;
}

void write_report(const std::string& path, const std::string& text) {
  const std::string draft = path + ".new";
  write_file(draft, text.data(), text.size());
  std::filesystem::rename(draft, path);
}

}  // namespace tilelab::judge
