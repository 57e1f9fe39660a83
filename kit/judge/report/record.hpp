// The results of judging as plain data, and their JSON: the Launch of grader/model/result/ and the cases of judge.json.
#pragma once

#include <cstdint>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "executor/verdict.hpp"
#include "judge/comparison.hpp"
#include "judge/mistake.hpp"
#include "judge/random_stream.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::judge {

// The least work that any kernel for this problem must do.
struct Work {
  std::string unit;  // "multiply-add"
  std::uint64_t amount = 0;
  std::uint64_t compulsory_bytes = 0;  // every input read once, every output written once
};

struct LaunchRecord {
  std::string shape = {}, inputs = {};
  Verdict verdict = Verdict::pass;
  std::optional<protocol::LaunchConfig> config = {};  // none: never known
  std::string message = {};                           // why it did not pass; empty if it passed
  std::vector<protocol::Finding> findings = {};
  std::optional<Mismatch> mismatch = {};
  std::map<std::string, std::uint64_t> counters = {};
  std::string printed = {};
  std::optional<protocol::Trace> trace = std::nullopt;      // if one was requested; not written to judge.json
  std::optional<protocol::Traffic> traffic = std::nullopt;  // if it was requested
  Work work = {};                                           // recorded together with traffic
  std::optional<Explanation> explanation = std::nullopt;    // the mistake that explains the output, if there is exactly one
  std::vector<double> wrong_output = {};                    // of a launch that ran to its end; not written to judge.json
  bool needs_reversed_run = false;                          // what the runner reported; judge_launch then runs the reversed order
  nlohmann::json program = nullptr;                         // of a whole program: the broker's record (kit/program)
  std::vector<std::uint64_t> reading_places = {};           // where its host code read what is on the device; not written to judge.json
  bool left_data = false;                                   // the submission's own variables hold other values than before the launch
};

struct CaseRecord {
  std::string name;
  std::vector<std::string> tags;
  bool passed = false;
  Verdict verdict = Verdict::pass;  // a technique case may fail with `pass`: the kernel is correct, but does not use the technique
  std::string message;
  std::vector<LaunchRecord> launches;  // up to the first launch that failed
};

void to_json(nlohmann::json&, const LaunchRecord&);
void to_json(nlohmann::json&, const CaseRecord&);

// The text of judge.json.
std::string report_text(const std::vector<CaseRecord>& cases);

// What the grader tells a judge on its standard input, where no other program can read it: the key that random sizes and
// inputs follow from, and the order of the cases.

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
