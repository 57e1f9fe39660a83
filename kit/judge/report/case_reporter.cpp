#include "judge/report/case_reporter.hpp"

#include <vector>

#include "judge/bench.hpp"

namespace tilelab::judge {

void CaseReporter::testCaseStarting(const Catch::TestCaseInfo& info) {
  std::vector<std::string> tags;
  for (const Catch::Tag& tag : info.tags) tags.emplace_back(tag.original);
  trouble_.clear();
  bench().open_case(info.name, std::move(tags));
}

void CaseReporter::assertionEnded(const Catch::AssertionStats& stats) {
  const auto& result = stats.assertionResult;
  if (result.isOk()) return;
  trouble_ = result.hasMessage() ? std::string(result.getMessage()) : result.getExpression();
}

void CaseReporter::testCaseEnded(const Catch::TestCaseStats& stats) { bench().close_case(stats.totals.assertions.allOk(), trouble_); }

}  // namespace tilelab::judge
