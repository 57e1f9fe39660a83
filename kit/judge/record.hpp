// What judging found, as plain data, and its JSON: the Launch of grader/model/result.py and the cases of judge.json.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/comparison.hpp"
#include "judge/explanation.hpp"
#include "judge/verdict.hpp"
#include "runner/protocol.hpp"

namespace tilelab::judge {

// What no kernel can do without, however it goes about it.
struct Work {
  std::string unit;  // "multiply-add"
  std::uint64_t amount = 0;
  std::uint64_t compulsory_bytes = 0;  // every input read once, every output written once
};

struct LaunchRecord {
  std::string shape, inputs;
  Verdict verdict = Verdict::pass;
  std::optional<protocol::LaunchConfig> config;  // none: never known
  std::string message;                           // why not a pass; empty for one
  std::vector<protocol::Finding> findings;
  std::optional<Mismatch> mismatch;
  std::map<std::string, std::uint64_t> counters;
  std::string printed;
  std::optional<protocol::Trace> trace = std::nullopt;      // where one was asked for; no part of judge.json
  std::optional<protocol::Traffic> traffic = std::nullopt;  // where it was asked for
  Work work = {};                                           // beside traffic
  std::optional<Explanation> explanation = std::nullopt;    // the mistake that accounts for the output, where just one does
  std::vector<float> wrong_output = {};                     // of a launch that came to its end; no part of judge.json
  bool needs_reversed_run = false;                          // the runner's wish, before it was met
  bool left_data = false;                                   // the submission's own variables hold something else than before
};

struct CaseRecord {
  std::string name;
  std::vector<std::string> tags;
  bool passed = false;
  Verdict verdict = Verdict::pass;  // a technique case may fail with `pass`: correct, but not in the way asked for
  std::string message;
  std::vector<LaunchRecord> launches;  // up to the first that failed
};

void to_json(nlohmann::json&, const LaunchRecord&);
void to_json(nlohmann::json&, const CaseRecord&);

// The text of judge.json.
std::string report_text(const std::vector<CaseRecord>& cases);

}  // namespace tilelab::judge
