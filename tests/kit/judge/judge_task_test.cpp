// What the grader tells a judge: read from its standard input, and turned into what Catch2 runs.
#include "judge/report/record.hpp"

#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::judge;

namespace {

JudgeTask read(const std::string& text) {
  std::istringstream input(text);
  return read_task(input);
}

const std::string key(64, 'a');

}  // namespace

TEST_CASE("a task without groups leaves the choice to the command line", "[judge_task]") {
  const JudgeTask task = read(R"({"key": ")" + key + R"("})");
  CHECK(task.groups.empty());
  CHECK(task.specs().empty());
}

TEST_CASE("groups are run in their order, and the cases that none of them names come last", "[judge_task]") {
  const JudgeTask task = read(R"({"key": ")" + key + R"(", "groups": [["a", "b c"], [], ["d"]], "and_others": true})");
  CHECK(task.specs() == std::vector<std::string>{R"("a","b c")", R"("d")", R"(~"a"~"b c"~"d")"});
}

TEST_CASE("what means something to Catch2 is taken as a part of the name", "[judge_task]") {
  JudgeTask task;
  task.groups = {{R"(~ [a] "b", \c)"}};
  CHECK(task.specs() == std::vector<std::string>{R"("~ [a] \"b\"\, \\c")"});
}

TEST_CASE("a task that cannot be read is refused without repeating it", "[judge_task]") {
  for (const std::string& text : {std::string(), std::string("secret"), std::string(R"({"groups": []})"),
                                  std::string(R"({"key": "secret"})"), R"({"key": ")" + key + R"(", "groups": "secret"})"}) {
    try {
      read(text);
      FAIL("read " << text);
    } catch (const std::runtime_error& error) {
      CHECK(std::string(error.what()).find("secret") == std::string::npos);
    }
  }
}
