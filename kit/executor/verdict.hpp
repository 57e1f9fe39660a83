// The verdicts of launches, cases and labs, in order of precedence: the first of several counts. The kind of a finding is a
// verdict too. The list is made from grader/model/verdicts.py when the kit is built.
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string_view>

#include "executor/verdict_list.hpp"

namespace tilelab {

static_assert(Verdict::internal_error == Verdict{} && verdict_names.front() == "internal-error" && verdict_names.back() == "pass");

constexpr std::string_view name(Verdict verdict) { return verdict_names[static_cast<std::size_t>(verdict)]; }

constexpr std::optional<Verdict> verdict_named(std::string_view name) {
  const auto found = std::find(verdict_names.begin(), verdict_names.end(), name);
  if (found == verdict_names.end()) return std::nullopt;
  return static_cast<Verdict>(found - verdict_names.begin());
}

constexpr Verdict worst(Verdict a, Verdict b) { return std::min(a, b); }

// Whether a launch can have shown it. The verdicts before these say why nothing ran; only the grader gives them.
constexpr bool is_shown_by_a_launch(Verdict verdict) { return verdict > Verdict::missing_entry_point && verdict < Verdict::pass; }

}  // namespace tilelab
