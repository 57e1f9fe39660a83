// What the grader tells a judge on its standard input, where no other program can read it: the key that random sizes and
// inputs follow from, and the order of the cases.
#pragma once

#include <istream>
#include <string>
#include <vector>

#include "judge/random_stream.hpp"

namespace tilelab::judge {

struct JudgeTask {
  SecretKey key;
  // Names of cases. Every group is run to its end before the next begins. Those that a student may see come first: then what
  // hidden cases do to a submission's time or its GPU cannot show in them. No groups: the command line chooses.
  std::vector<std::vector<std::string>> groups;
  bool and_others = false;  // cases that no group names are run as well, last

  // What Catch2 is to run, one after the other, as it expects cases on its command line.
  std::vector<std::string> specs() const;
};

// `{"key": "64 hexadecimal digits", "groups": [["a case"]], "and_others": true}`; all but the key may be left out.
// Throws std::runtime_error.
JudgeTask read_task(std::istream& input);

// The files between the grader and a program that hosts a runner: how to start the runner, and the report of what was found.

// The argv in runner.json. Throws std::runtime_error or nlohmann::json::exception.
std::vector<std::string> read_runner_argv(const std::string& path);

// Writes the whole file or nothing (atomically). Throws std::runtime_error.
void write_report(const std::string& path, const std::string& text);

}  // namespace tilelab::judge
