// Reads of unwritten memory, decided by the rules and not by the schedule.
#include "executor/observers/uninitialized_reads.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include "handmade_launch.hpp"

using namespace tilelab::simt;

namespace {

constexpr AccessKind reads = AccessKind::read, writes = AccessKind::write, atomic = AccessKind::atomic;

using Interval = std::vector<Touch>;

std::string shown(const FindingLog& log) {
  std::string text;
  for (const RawFinding& f : log.deduplicated()) {
    text += element_name(*f.region, f.offset) + " " + std::to_string(f.site.pc) + " by " + std::to_string(f.site.by.block) + "," +
            std::to_string(f.site.by.thread) + "\n";
  }
  return text;
}

// The findings of one block that executes these intervals.
std::string found(const std::vector<Interval>& intervals, std::size_t element_bytes = 4) {
  const Region region = shared_region(64, element_bytes);
  FindingLog log;
  UninitializedReads checker(log);
  HandmadeLaunch launch(checker, region);
  launch.begin_block();
  for (const Interval& interval : intervals) {
    if (&interval != intervals.data()) launch.barrier();
    for (const Touch& touch : interval) launch.touch(touch);
  }
  launch.end_block();
  launch.end();
  return shown(log);
}

std::string found_in_output(const std::vector<Touch>& touches) {
  Region output = shared_region(64);
  output.space = Space::global;
  output.name = "C";
  output.role = BufferRole::output;
  FindingLog log;
  UninitializedReads checker(log);
  HandmadeLaunch launch(checker, output);
  launch.begin_block();
  for (const Touch& touch : touches) launch.touch(touch);
  launch.end_block();
  launch.end();
  return shown(log);
}

// The definition, byte by byte: a read reads nothing if one of its bytes counts as not written. A byte counts as written if it was
// written in an earlier interval, by the reader before its read, by another thread in this interval (unless both accesses are
// atomic), or by several threads in this interval that are not all atomic. The last two are races.
bool reads_nothing(const std::vector<Interval>& intervals, std::size_t which, std::size_t index) {
  const Touch& reader = intervals[which][index];
  if (reader.kind == writes) return false;
  for (std::uint64_t byte = reader.at; byte < reader.at + reader.size; ++byte) {
    bool written = false, plainly = false;
    std::set<std::uint32_t> writers;
    for (std::size_t i = 0; i <= which; ++i) {
      for (std::size_t j = 0; j < intervals[i].size(); ++j) {
        const Touch& writer = intervals[i][j];
        if (writer.kind == reads || byte < writer.at || byte >= writer.at + writer.size) continue;
        if (i == which) {
          writers.insert(writer.thread);
          plainly = plainly || writer.kind == writes;
        }
        const bool counts = i < which || writer.kind == writes || reader.kind == reads;
        const bool own = i == which && writer.thread == reader.thread;
        written = written || (counts && (!own || j < index));
      }
    }
    if (!written && !(plainly && writers.size() > 1)) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a read of shared memory that nobody wrote is found, with its element and thread", "[uninitialized_reads]") {
  CHECK(found({{{3, reads, 8, 4, 7}}}) == "As[2] 7 by 0,3\n");
  CHECK(found({{{3, writes, 8, 4, 7}, {3, reads, 12, 4, 8}}}) == "As[3] 8 by 0,3\n");
}

TEST_CASE("what was written in an earlier interval, or by the reader before, may be read", "[uninitialized_reads]") {
  CHECK(found({{{0, writes, 0}}, {{1, reads, 0}, {2, reads, 0}}, {{3, reads, 0}}}).empty());
  CHECK(found({{{0, writes, 0}, {0, reads, 0}}}).empty());
  CHECK(found({{{0, writes, 0, 16}}, {{1, reads, 4, 8}}}).empty());
}

TEST_CASE("a read before the reader's own write is found, one that races with another's write is the race's", "[uninitialized_reads]") {
  CHECK_FALSE(found({{{0, reads, 0}, {0, writes, 0}}}).empty());
  CHECK(found({{{0, reads, 0}, {1, writes, 0}}}).empty());
  CHECK(found({{{1, writes, 0}, {0, reads, 0}}}).empty());
  CHECK(found({{{0, reads, 0}, {0, writes, 0}, {1, writes, 0}}}).empty());
}

TEST_CASE("bytes of a word are told apart", "[uninitialized_reads]") {
  CHECK_FALSE(found({{{0, writes, 0, 1}}, {{1, reads, 1, 1}}}).empty());
  CHECK_FALSE(found({{{0, writes, 0, 3}}, {{1, reads, 0, 4}}}).empty());
  // Every thread reads its own byte of a word and then writes it.
  CHECK_FALSE(found({{{0, reads, 0, 1}, {0, writes, 0, 1}, {1, reads, 1, 1}, {1, writes, 1, 1}}}, 1).empty());
}

TEST_CASE("a counter that all threads update atomically still needs a first value", "[uninitialized_reads]") {
  CHECK_FALSE(found({{{0, atomic, 0}, {1, atomic, 0}, {2, atomic, 0}}}).empty());
  CHECK(found({{{0, writes, 0}}, {{0, atomic, 0}, {1, atomic, 0}}, {{5, reads, 0}}}).empty());
}

TEST_CASE("every block begins with nothing written", "[uninitialized_reads]") {
  const Region region = shared_region(64);
  FindingLog log;
  UninitializedReads checker(log);
  HandmadeLaunch launch(checker, region);
  launch.begin_block(0);
  launch.touch({0, writes, 0});
  launch.end_block();
  launch.begin_block(1);
  launch.touch({0, reads, 0});
  launch.end_block();
  CHECK(shown(log) == "As[0] 1 by 1,0\n");
}

TEST_CASE("after a thread was ended its block is not blamed for what is missing", "[uninitialized_reads]") {
  const Region region = shared_region(64);
  FindingLog log;
  UninitializedReads checker(log);
  HandmadeLaunch launch(checker, region);
  launch.begin_block(0);
  launch.end_thread(4);
  launch.barrier();
  launch.touch({0, reads, 0});
  launch.end_block();
  CHECK(log.deduplicated().empty());
  launch.begin_block(1);
  launch.touch({0, reads, 0});
  launch.end_block();
  CHECK(log.deduplicated().size() == 1);
}

TEST_CASE("random intervals: the reading statements are those of the definition, in every order", "[uninitialized_reads]") {
  std::mt19937 random(GENERATE(Catch::Generators::range(1u, 31u)));
  const auto below = [&random](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int round = 0; round < 40; ++round) {
    std::vector<Interval> intervals(1 + below(3));
    const std::uint32_t span = 1 + below(12), threads = 1 + below(4);
    for (Interval& interval : intervals) {
      for (std::uint32_t i = below(8); i > 0; --i) {
        const std::uintptr_t pc = 1 + below(30);
        interval.push_back({below(threads), below(4) == 0 ? atomic : below(2) == 0 ? writes : reads, below(span), 1u << below(4), pc});
      }
    }
    std::set<std::string> expected, got;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
      for (std::size_t j = 0; j < intervals[i].size(); ++j) {
        if (reads_nothing(intervals, i, j)) expected.insert(std::to_string(intervals[i][j].pc));
      }
    }
    const std::string first = found(intervals);
    std::istringstream lines(first);
    for (std::string line; std::getline(lines, line);) got.insert(line.substr(line.find(' ') + 1, line.find(" by") - line.find(' ') - 1));
    REQUIRE(got == expected);
    for (int order = 0; order < 4; ++order) {
      for (Interval& interval : intervals) {  // the order of threads changes, but each keeps its own order of accesses
        std::vector<std::uint32_t> turns(threads);
        for (std::uint32_t& turn : turns) turn = static_cast<std::uint32_t>(random());
        std::stable_sort(interval.begin(), interval.end(),
                         [&](const Touch& a, const Touch& b) { return turns[a.thread] < turns[b.thread]; });
      }
      REQUIRE(found(intervals) == first);
    }
  }
}

TEST_CASE("an output that is added to before it is set is read before it is written", "[uninitialized_reads]") {
  CHECK(found_in_output({{2, reads, 8, 4, 5}, {2, writes, 8, 4, 6}, {2, reads, 8, 4, 5}}) == "C[2] 5 by 0,2\n");
  CHECK(found_in_output({{2, reads, 8, 4, 5}}) == "C[2] 5 by 0,2\n");
  CHECK(found_in_output({{2, atomic, 8, 4, 5}}) == "C[2] 5 by 0,2\n");
  CHECK(found_in_output({{2, writes, 8, 4, 5}, {2, reads, 8, 4, 6}, {3, reads, 8, 4, 6}, {4, atomic, 8, 4, 6}}).empty());
}

TEST_CASE("an output that several threads add to is found alike in every order of the threads", "[uninitialized_reads]") {
  std::vector<std::uint32_t> threads{0, 1, 2, 3, 4};
  std::mt19937 random(5);
  for (int order = 0; order < 20; ++order) {
    std::shuffle(threads.begin(), threads.end(), random);
    std::vector<Touch> touches;
    for (const std::uint32_t thread : threads) {
      touches.push_back({thread, reads, 8, 4, 5});
      if (thread != 3) touches.push_back({thread, writes, 8, 4, 6});
    }
    CHECK(found_in_output(touches) == "C[2] 5 by 0,0\n");
  }
}

TEST_CASE("an element that one thread sets and another adds to is a matter of their order, not of this checker", "[uninitialized_reads]") {
  CHECK(found_in_output({{0, reads, 8, 4, 5}, {0, writes, 8, 4, 6}, {1, writes, 8, 4, 7}}).empty());
  CHECK(found_in_output({{1, writes, 8, 4, 7}, {0, reads, 8, 4, 5}, {0, writes, 8, 4, 6}}).empty());
}

TEST_CASE("buffers that are no outputs may be read as they come", "[uninitialized_reads]") {
  const BufferRole role = GENERATE(BufferRole::input, BufferRole::inout, BufferRole::local);
  Region buffer = shared_region(64);
  buffer.space = Space::global;
  buffer.role = role;
  FindingLog log;
  UninitializedReads checker(log);
  HandmadeLaunch launch(checker, buffer);
  launch.begin_block();
  launch.touch({0, reads, 0});
  launch.end_block();
  launch.end();
  CHECK(log.deduplicated().empty());
}

TEST_CASE("what a program's earlier launches and copies have set may be read, and nothing else", "[uninitialized_reads]") {
  std::vector<std::uint8_t> words{0x0F, 0x00, 0x03, 0x00};
  ByteMarks marks{.words = words.data(), .read = {}, .written = {}};
  Region buffer = global_region(16);
  buffer.role = BufferRole::inout;
  buffer.marks = &marks;
  FindingLog log;
  UninitializedReads checker(log);
  HandmadeLaunch launch(checker, buffer);
  launch.begin_block();
  launch.touch({0, reads, 0});
  launch.touch({0, reads, 8});        // two of its bytes are set: a struct, copied whole
  launch.touch({0, reads, 4, 4, 7});  // unset, and set afterwards
  launch.touch({0, writes, 4});
  launch.touch({1, writes, 12});
  launch.touch({2, reads, 12});
  launch.end_block();
  launch.end();
  CHECK(shown(log) == "C[1] 7 by 0,0\n");
  CHECK(words == std::vector<std::uint8_t>{0x0F, 0xFF, 0x03, 0xFF});
  CHECK(marks.read.first == 0);
  CHECK(marks.read.end == 16);
  CHECK(marks.written.first == 4);
  CHECK(marks.written.end == 16);
}
