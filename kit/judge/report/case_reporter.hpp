// The Catch2 reporter of a judge: opens and closes the bench's cases and prints nothing. The bench's record becomes
// judge.json; what a person reads is made from that.
#pragma once

#include <string>

#include <catch2/catch_test_case_info.hpp>
#include <catch2/reporters/catch_reporter_streaming_base.hpp>

namespace tilelab::judge {

class CaseReporter final : public Catch::StreamingReporterBase {
 public:
  using StreamingReporterBase::StreamingReporterBase;
  static std::string getDescription() { return "records cases for --report, prints nothing"; }
  void testCaseStarting(const Catch::TestCaseInfo& info) override;
  void assertionEnded(const Catch::AssertionStats& stats) override;
  void testCaseEnded(const Catch::TestCaseStats& stats) override;

 private:
  std::string trouble_;
};

}  // namespace tilelab::judge
