// The results of judging as plain data, and their JSON: the Launch of grader/model/result/ and the cases of judge.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "executor/verdict.hpp"
#include "judge/comparison.hpp"
#include "judge/decision/explanation.hpp"
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

}  // namespace tilelab::judge
