// What is kept of a run's record.
#include "judge/programs/program_judge.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab;
using nlohmann::json;

TEST_CASE("of long lists only a beginning is kept, and the record says so", "[run-verdict]") {
  json record = {{"ended", "finished"}, {"launches", json::array()}, {"allocations", {{{"index", 0}}}}};
  for (int i = 0; i < 10'000; ++i) record["launches"].push_back({{"kernel", std::string(4000, 'k')}, {"grid", i}});
  const json kept = judge::kept_record(record);
  CHECK(kept.at("ended") == "finished");
  CHECK(kept.at("allocations") == record.at("allocations"));
  CHECK(kept.at("launches").size() > 20);
  CHECK(kept.at("launches").size() < 40);
  CHECK(kept.at("launches")[7] == record.at("launches")[7]);
  CHECK(kept.at("truncated") == true);
  CHECK(kept.dump().size() < 200'000);
}

TEST_CASE("a record with short lists is kept as it is", "[run-verdict]") {
  const json record = {{"ended", "exit"}, {"launches", {{{"kernel", "add"}}}}, {"host", json::array()}, {"counters", {{"loads", 3}}}};
  CHECK(judge::kept_record(record) == record);
}
