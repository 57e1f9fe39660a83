// The verdicts in order of precedence: the first of several is the verdict of all. The names are grader/model/result.py's.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace tilelab::judge {

enum class Verdict {
  internal_error,
  rejected,
  missing_file,
  compile_error,
  missing_entry_point,
  needs_gpu,
  launch_error,
  crash,
  timeout,
  barrier_divergence,
  race,
  out_of_bounds,
  input_modified,
  misaligned,
  uninitialized_read,
  wrong_answer,
  pass,
};

inline constexpr std::array<std::string_view, 17> verdict_names{
    "internal-error", "rejected",      "missing-file",   "compile-error", "missing-entry-point",
    "needs-gpu",      "launch-error",  "crash",          "timeout",       "barrier-divergence",
    "race",           "out-of-bounds", "input-modified", "misaligned",    "uninitialized-read",
    "wrong-answer",   "pass"};

constexpr std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

constexpr std::optional<Verdict> verdict_named(std::string_view name) {
  const auto found = std::find(verdict_names.begin(), verdict_names.end(), name);
  if (found == verdict_names.end()) return std::nullopt;
  return static_cast<Verdict>(found - verdict_names.begin());
}

constexpr Verdict worst(Verdict a, Verdict b) { return std::min(a, b); }

}  // namespace tilelab::judge
