// A reply is read only if an honest runner could have sent it. What is read is limited in size.
#include "judge/process/runner_process.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace tilelab;
using namespace tilelab::judge;
using nlohmann::json;

namespace {

protocol::Finding race() {
  protocol::Finding finding;
  finding.kind = "race";
  finding.severity = "error";
  finding.site.line = 3;
  finding.site.access = "write";
  finding.message = "two threads";
  return finding;
}

std::string text(const protocol::LaunchReply& reply) { return json(reply).dump(); }

}  // namespace

TEST_CASE("what is no reply is not read", "[reply-check]") {
  const std::string hostile =
      GENERATE(std::string(), std::string("null"), std::string("[]"), std::string("{}"), std::string("{\"status\": \"completed\"}"),
               std::string("\xff"), std::string(1 << 20, '['), std::string(1 << 20, '9'));
  CHECK_FALSE(read_reply(hostile));
}

TEST_CASE("a reply of bytes that are no UTF-8 is not read", "[reply-check]") {
  std::string reply = text({});
  reply.replace(reply.find("\"printed\":\"\""), 12, "\"printed\":\"\xc3\x28\"");
  CHECK_FALSE(read_reply(reply));
}

TEST_CASE("a finding of an unknown or forbidden kind makes a reply unreadable", "[reply-check]") {
  const auto kind = GENERATE("pass", "internal-error", "rejected", "compile-error", "excellent", "", "Race");
  protocol::LaunchReply reply;
  reply.findings = {race()};
  reply.findings[0].kind = kind;
  CHECK_FALSE(read_reply(text(reply)));
}

TEST_CASE("a finding of an unknown severity makes a reply unreadable", "[reply-check]") {
  const auto severity = GENERATE("", "warning", "ERROR");
  protocol::LaunchReply reply;
  reply.findings = {race()};
  reply.findings[0].severity = severity;
  CHECK_FALSE(read_reply(text(reply)));
}

TEST_CASE("what a reply holds too much of is cut off", "[reply-check]") {
  protocol::LaunchReply reply;
  reply.findings.assign(1000, race());
  reply.findings[0].message.assign(100'000, 'm');
  reply.findings[0].site.file.assign(100'000, 'f');
  reply.findings[0].count = ~0ull;
  reply.printed.assign(100'000, 'p');
  reply.detail.assign(100'000, 'd');
  for (int i = 0; i < 1000; ++i) reply.counters["c" + std::to_string(i)] = ~0ull;
  const auto read = read_reply(text(reply));
  REQUIRE(read);
  CHECK(read->findings.size() == 64);
  CHECK(read->findings[0].message.size() == 1000);
  CHECK(read->findings[0].site.file.size() == 200);
  CHECK(read->findings[0].count == 1ull << 53);
  CHECK(read->printed.size() == 16 * 1024);
  CHECK(read->detail.size() == 1000);
  CHECK(read->counters.size() == 64);
  CHECK(read->counters.begin()->second == 1ull << 53);
}

TEST_CASE("fields that make no sense are emptied", "[reply-check]") {
  protocol::LaunchReply reply;
  reply.findings = {race()};
  reply.findings[0].site.line = -5;
  reply.findings[0].site.access = "<b>";
  reply.findings[0].count = 0;
  reply.counters = {{"fine_name.sum", 1}, {"<script>", 1}, {"", 1}};
  const auto read = read_reply(text(reply));
  REQUIRE(read);
  CHECK(read->findings[0].site.line == 0);
  CHECK(read->findings[0].site.access.empty());
  CHECK(read->findings[0].count == 1);
  CHECK(read->counters.size() == 1);
}

TEST_CASE("tamed text holds no control characters, and lines only where they are wanted", "[reply-check]") {
  CHECK(tame("a\x1b[31mb\x7f"
             "c",
             100) ==
        "a\xEF\xBF\xBD[31mb\xEF\xBF\xBD"
        "c");
  CHECK(tame("a\nb\tc", 100) ==
        "a\xEF\xBF\xBD"
        "b\xEF\xBF\xBD"
        "c");
  CHECK(tame("a\nb\tc\r", 100, true) == "a\nb\tc\xEF\xBF\xBD");
  CHECK(tame(std::string("a\0b", 3), 100) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(tame("\xC2\x85", 100) == "\xEF\xBF\xBD");
  CHECK(tame("a\xE2\x80\xAE"
             "b",
             100) ==
        "a\xEF\xBF\xBD"
        "b");
  CHECK(tame("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", 100) == "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80");
}

TEST_CASE("tamed text is valid UTF-8 whatever it was made of", "[reply-check]") {
  const std::string bytes =
      GENERATE(std::string("\xC0\x80"), std::string("\xED\xA0\x80"), std::string("\xF4\x90\x80\x80"), std::string("\xE2\x82"),
               std::string("\x80"), std::string("\xF0\x80\x80\x80"), std::string("\xff\xfe"), std::string("\xE0\x9F\xBF"));
  CHECK_NOTHROW(json(tame(bytes, 100)).dump());
  CHECK(tame(bytes, 100).find("\xEF\xBF\xBD") == 0);
}

TEST_CASE("tamed text is never cut inside a character", "[reply-check]") {
  const std::string euros = "\xE2\x82\xAC\xE2\x82\xAC";
  CHECK(tame(euros, 5) == "\xE2\x82\xAC");
  CHECK(tame(euros, 6) == euros);
}
