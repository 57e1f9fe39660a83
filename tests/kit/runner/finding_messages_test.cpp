// Findings as sentences: every kind, merging by line, bounds.
#include "runner/report/launch_report.hpp"

#include <algorithm>
#include <random>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab;
using simt::RawFinding;
using simt::Region;

namespace {

constexpr LaunchGeometry geometry{{4, 2, 1}, {16, 16, 1}};

// Addresses 10n to 10n+9 belong to line n.
Image image() {
  Image made;
  made.files = {"somewhere/else/matmul.cu"};
  for (int line = 1; line <= 300; ++line) made.lines.push_back({static_cast<std::uintptr_t>(10 * line), line, 0});
  made.functions = {{10, 4000, "matmul(float const*)"}};
  // acc += As[y][k] * Bs[k][x];
  // Bs[y][x] = Bs[x][y];
  made.subscripts = {{3, 8, "As", {12, 15}}, {3, 19, "Bs", {23, 26}}, {4, 1, "Bs", {5, 8}}, {4, 12, "Bs", {16, 19}}};
  Region as, bs;
  as.name = "As";
  as.dimensions = {16, 17};
  bs.name = "Bs";
  bs.dimensions = {16, 16};
  made.shared = {as, bs};
  return made;
}

Region shared() {
  Region region;
  region.name = "As";
  region.space = simt::Space::shared;
  region.bytes = 1024;
  region.dimensions = {16, 16};
  return region;
}

Region buffer() {
  Region region;
  region.name = "A";
  region.bytes = 4096;
  return region;
}

RawFinding raw(Verdict kind, int line, const Region* region = nullptr, std::int64_t offset = 0) {
  RawFinding finding;
  finding.kind = kind;
  finding.site = {static_cast<std::uintptr_t>(10 * line + 5), "read", {5, 33}};
  finding.region = region;
  finding.offset = offset;
  return finding;
}

protocol::Finding worded(const RawFinding& finding) {
  const auto all = finding_messages({finding}, image(), geometry);
  REQUIRE(all.size() == 1);
  return all[0];
}

}  // namespace

TEST_CASE("a finding says where it is: file without folders, line, function, block and thread", "[finding_messages]") {
  const Region region = buffer();
  const auto finding = worded(raw(Verdict::uninitialized_read, 2, &region, 8));
  CHECK(finding.site.file == "matmul.cu");
  CHECK(finding.site.line == 2);
  CHECK(finding.site.function == "matmul(float const*)");
  CHECK(finding.site.block == simt::Index3{1, 1, 0});
  CHECK(finding.site.thread == simt::Index3{1, 2, 0});
  CHECK(finding.severity == "error");
  CHECK(finding.array == "A");
  CHECK(finding.element == "A[2]");
  CHECK_FALSE(finding.other);
}

TEST_CASE("code of no line has line 0 and no function", "[finding_messages]") {
  auto finding = raw(Verdict::timeout, 0);
  finding.site.pc = 3;
  CHECK(worded(finding).site.line == 0);
  CHECK(worded(finding).site.function.empty());
}

TEST_CASE("races name both sides", "[finding_messages]") {
  const Region region = shared();
  RawFinding finding = raw(Verdict::race, 2, &region, 4 * 17);
  finding.site.access = "write";
  finding.other = {35, "read", {5, 0}};
  const auto both = worded(finding);
  CHECK(both.kind == "race");
  REQUIRE(both.other);
  CHECK(both.other->line == 3);
  CHECK(
      both.message ==
      "Thread (1,2,0) writes As[1][1] in line 2 and thread (0,0,0) reads it in line 3, with no __syncthreads() between the two: either may "
      "come first.");
  finding.other = {finding.site.pc, "write", {5, 0}};
  CHECK(worded(finding).message ==
        "Threads (1,2,0) and (0,0,0) both write As[1][1] in line 2 between the same two barriers: the element keeps the value that is "
        "written last.");
  finding.site.access = "atomic";
  CHECK(worded(finding).message.starts_with("Thread (1,2,0) atomically updates As[1][1] in line 2 and thread (0,0,0) writes it in line 2"));
}

TEST_CASE("a copy whose read and write are one instruction is not two writes", "[finding_messages]") {
  const Region region = shared();
  RawFinding finding = raw(Verdict::race, 2, &region);
  finding.site.access = "write";
  finding.other = {finding.site.pc, "read", {5, 0}};
  CHECK(worded(finding).message.starts_with("Thread (1,2,0) writes As[0][0] in line 2 and thread (0,0,0) reads it in line 2"));
}

TEST_CASE("out of bounds says past or before, and how much there is", "[finding_messages]") {
  const Region global = buffer(), array = shared();
  CHECK(worded(raw(Verdict::out_of_bounds, 2, &global, 4096)).message ==
        "Thread (1,2,0) of block (1,1,0) reads A[1024], past the end: A has 1024 elements.");
  CHECK(worded(raw(Verdict::out_of_bounds, 2, &global, -4)).message ==
        "Thread (1,2,0) of block (1,1,0) reads A[-1], before the start: A has 1024 elements.");
  RawFinding past = raw(Verdict::out_of_bounds, 2, &array, 1024);
  past.site.access = "write";
  CHECK(worded(past).message == "Thread (1,2,0) of block (1,1,0) writes As[16][0], past the end: As has 256 elements (16 x 16).");
}

TEST_CASE("a bad subscript names its array where the line leaves no doubt", "[finding_messages]") {
  RawFinding finding = raw(Verdict::out_of_bounds, 3);
  finding.index = 17;
  finding.bound = 17;
  CHECK(worded(finding).array == "As");  // only As has a dimension of 17
  CHECK(worded(finding).message ==
        "Thread (1,2,0) of block (1,1,0) uses subscript 17 of As, but this dimension has only the subscripts 0 to 16.");
  finding.bound = 16;
  CHECK(worded(finding).array.empty());  // both have one of 16
  CHECK(worded(finding).message.find(" of an array, ") != std::string::npos);
  finding.site.pc = 45;
  CHECK(worded(finding).array == "Bs");
  finding.site.pc = 2005;  // a line without subscripts
  CHECK(worded(finding).array.empty());
}

TEST_CASE("columns name the subscript: GCC's its closing bracket, Clang's the array's name", "[finding_messages]") {
  RawFinding finding = raw(Verdict::out_of_bounds, 3);
  finding.index = 16;
  finding.bound = 16;
  finding.column = 15;
  CHECK(worded(finding).element == "As[…][16]");
  finding.column = 23;
  CHECK(worded(finding).element == "Bs[16][…]");
  finding.column = 8;
  CHECK(worded(finding).element == "As[…][16]");
  finding.inner = 1;
  CHECK(worded(finding).element == "As[16][…]");
  finding.inner = 2;
  CHECK(worded(finding).array.empty());
  finding.column = 9;
  CHECK(worded(finding).array.empty());
}

TEST_CASE("addresses that belong to nothing are told apart", "[finding_messages]") {
  CHECK(worded(raw(Verdict::out_of_bounds, 2, nullptr, 8)).message == "Thread (1,2,0) of block (1,1,0) uses a null pointer.");
  CHECK(worded(raw(Verdict::out_of_bounds, 2, nullptr, 1 << 20)).message.find("uses an address that belongs to no buffer") !=
        std::string::npos);
  RawFinding write = raw(Verdict::out_of_bounds, 2, nullptr, -8);
  write.site.access = "write";
  CHECK(worded(write).message.find("writes to memory that belongs to no buffer") != std::string::npos);
}

TEST_CASE("what a thread did is told with its element and array, of a misaligned address with what its type needs", "[finding_messages]") {
  const Region global = buffer(), array = shared();
  RawFinding finding = raw(Verdict::uninitialized_read, 2, &array);
  finding.what = "reads {element}, which no thread has written since the block started";
  CHECK(worded(finding).message == "Thread (1,2,0) of block (1,1,0) reads As[0][0], which no thread has written since the block started.");
  finding = raw(Verdict::input_modified, 2, &global);
  finding.what = "writes {element}, but {array} is an input and must not change";
  CHECK(worded(finding).message == "Thread (1,2,0) of block (1,1,0) writes A[0], but A is an input and must not change.");
  RawFinding misaligned = raw(Verdict::misaligned, 2);
  misaligned.index = 16;
  CHECK(worded(misaligned).kind == "misaligned");
  CHECK(worded(misaligned).message.find("not a multiple of 16 bytes") != std::string::npos);
}

TEST_CASE("divergence names both barriers, in a warp operation it speaks of lanes", "[finding_messages]") {
  RawFinding finding = raw(Verdict::barrier_divergence, 2);
  finding.other = {35, "barrier", {5, 0}};
  CHECK(worded(finding).kind == "barrier-divergence");
  CHECK(worded(finding).severity == "error");
  CHECK(worded(finding).message.starts_with(
      "Thread (1,2,0) waits at the barrier in line 2 while thread (0,0,0) of the same block waits at the barrier in line 3"));
  finding.bound = 1;
  CHECK(worded(finding).message.find("all lanes named in the mask must reach the same operation") != std::string::npos);
}

TEST_CASE("a __syncwarp() near a race between warps is said to be too little", "[finding_messages]") {
  const Region region = shared();
  RawFinding finding = raw(Verdict::race, 2, &region);
  finding.site.access = "write";
  finding.other = {45, "read", {5, 7}};
  Image made = image();
  const auto said = [&] { return finding_messages({finding}, made, geometry)[0].message; };
  CHECK(said().find("__syncwarp") == std::string::npos);
  made.warp_syncs = {3};
  CHECK(
      said().ends_with("either may come first. The __syncwarp() in line 3 orders the threads of one warp only, and these two are in "
                       "warps 1 and 0 of the block."));
  finding.other.by.thread = 34;  // the same warp
  CHECK(said().find("__syncwarp") == std::string::npos);
}

TEST_CASE("threads that returned before a barrier are named with their return, one or many", "[finding_messages]") {
  RawFinding finding = raw(Verdict::barrier_divergence, 3);
  finding.about = RawFinding::About::returned;
  finding.other = {25, "return", {5, 34}};
  finding.note = true;
  finding.bound = 1;
  CHECK(worded(finding).severity == "note");
  CHECK(worded(finding).message.starts_with(
      "Thread (2,2,0) of block (1,1,0) had returned in line 2 when the others reached the barrier in line 3: anything that it should"));
  const Region as = shared();
  finding.missed = {{{&as, 4 * 18, 15}, {&as, 4 * 33, 25}}};
  CHECK(worded(finding).message.ends_with("is missing. Thread (2,2,0) would have written As[1][2] in line 1 and As[2][1] in line 2."));
  finding.bound = 9;
  CHECK(worded(finding).message.starts_with("Thread (2,2,0) and 8 more threads of block (1,1,0) had returned in line 2"));
}

TEST_CASE("threads that skipped a barrier are named with the condition, if it is certain", "[finding_messages]") {
  RawFinding finding = raw(Verdict::barrier_divergence, 4);
  finding.about = RawFinding::About::skipped;
  finding.other = {0, "skip", {5, 34}};
  finding.bound = 2;
  CHECK(worded(finding).message ==
        "Thread (2,2,0) and 1 more thread of block (1,1,0) skipped the barrier in line 4 and went on to the end of the kernel, while "
        "thread (1,2,0) waits there. Every thread of a block must reach the same __syncthreads().");
  CHECK_FALSE(worded(finding).other.has_value());
  finding.conditions = {25, 26};  // two branches of one line
  CHECK(worded(finding).message.find("waits there: the condition in line 2 led past it.") != std::string::npos);
  REQUIRE(worded(finding).other.has_value());
  CHECK(worded(finding).other->line == 2);
  CHECK(worded(finding).other->access == "skip");
  finding.conditions = {35, 26, 15};
  CHECK(worded(finding).message.find("one of the conditions in lines 1, 2 and 3 led past it.") != std::string::npos);
  CHECK_FALSE(worded(finding).other.has_value());
}

TEST_CASE("an undefined call of a warp function says what is wrong with its lanes", "[finding_messages]") {
  using Why = simt::LaneEvent::Why;
  RawFinding finding = raw(Verdict::barrier_divergence, 2);
  finding.about = RawFinding::About::lane;
  finding.lane = {{5, 33}, 25, Why::mask_without_caller, "__syncwarp()", 0xFFFF0000u, 0};
  CHECK(worded(finding).message ==
        "Thread (1,2,0) of block (1,1,0) is lane 1 of its warp and calls __syncwarp() with the mask 0xffff0000, which does not contain "
        "lane 1: what happens then is undefined.");
  finding.lane = {{5, 33}, 25, Why::source_not_in_mask, "", 0xFFu, 9};
  CHECK(worded(finding).message.ends_with("takes the value of lane 9, which is not in the mask 0x000000ff: the value is undefined."));
  finding.lane.why = Why::source_has_left;
  CHECK(worded(finding).message.ends_with("lane 9, which has left the kernel: the value is undefined."));
  finding.lane.why = Why::source_does_not_exist;
  CHECK(worded(finding).message.ends_with("does not exist, because the block has no such thread: the value is undefined."));
}

TEST_CASE("a race in code of one warp of several asks for __syncwarp(), and one of more warps for a barrier", "[finding_messages]") {
  const Region region = buffer();
  RawFinding finding = raw(Verdict::race, 2, &region);
  finding.other = {31, "read", {finding.site.by.block, finding.site.by.thread + 1}};
  finding.lowest_warp = finding.highest_warp = 0;
  CHECK(worded(finding).message.find("with no __syncwarp() between the two") != std::string::npos);
  finding.highest_warp = 1;
  CHECK(worded(finding).message.find("__syncwarp()") == std::string::npos);
}

TEST_CASE("a finding that nobody worded still says its kind", "[finding_messages]") {
  RawFinding finding = raw(Verdict::crash, 2);
  CHECK(worded(finding).message == "Thread (1,2,0) of block (1,1,0): crash.");
  finding.what = "divides an integer by zero";
  CHECK(worded(finding).message == "Thread (1,2,0) of block (1,1,0) divides an integer by zero.");
}

TEST_CASE("instructions of one line are one finding, whichever came first", "[finding_messages]") {
  const Region region = buffer();
  std::vector<RawFinding> all;
  for (std::uint32_t thread = 0; thread < 5; ++thread) {
    RawFinding one = raw(Verdict::uninitialized_read, 2, &region, 4 * thread);
    one.site.pc = 21 + thread;
    one.site.by = {0, 4 - thread};
    one.count = 10;
    all.push_back(one);
  }
  std::mt19937 random(1);
  for (int order = 0; order < 10; ++order) {
    std::shuffle(all.begin(), all.end(), random);
    const auto merged = finding_messages(all, image(), geometry);
    REQUIRE(merged.size() == 1);
    CHECK(merged[0].count == 50);
    CHECK(merged[0].element == "A[4]");
    CHECK(merged[0].site.thread == simt::Index3{0, 0, 0});
  }
}

TEST_CASE("errors come before notes, then by kind and line, and a flood is cut at 64", "[finding_messages]") {
  const Region region = buffer();
  std::vector<RawFinding> all;
  for (int line = 1; line <= 200; ++line) {
    all.push_back(raw(Verdict::barrier_divergence, line));
    all.back().note = true;
    if (line <= 10) all.push_back(raw(Verdict::uninitialized_read, line, &region));
  }
  const auto worded = finding_messages(all, image(), geometry);
  REQUIRE(worded.size() == 64);
  for (std::size_t i = 0; i < 64; ++i) CHECK(worded[i].severity == (i < 10 ? "error" : "note"));
  for (std::size_t i = 1; i < 10; ++i) CHECK(worded[i - 1].site.line < worded[i].site.line);
}
