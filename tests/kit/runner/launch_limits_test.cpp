// Configurations at CUDA's limits pass. Those one beyond are refused, with the reason.
#include "runner/launch.hpp"

#include <string>

#include <catch2/catch_test_macros.hpp>

using tilelab::launch_refusal;
using tilelab::protocol::Extent;
using tilelab::protocol::LaunchConfig;

namespace {

std::string refusal(Extent grid, Extent block, std::size_t dynamic_bytes = 0, std::size_t static_bytes = 0) {
  return launch_refusal(LaunchConfig{grid, block, dynamic_bytes}, static_bytes);
}

bool names(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("configurations at CUDA's limits are launched", "[launch_limits]") {
  CHECK(refusal({1, 1, 1}, {1, 1, 1}).empty());
  CHECK(refusal({2147483647, 65535, 65535}, {1024, 1, 1}).empty());
  CHECK(refusal({1, 1, 1}, {1, 1024, 1}).empty());
  CHECK(refusal({1, 1, 1}, {16, 1, 64}).empty());
  CHECK(refusal({1, 1, 1}, {32, 32, 1}, 40960, 8192).empty());
}

TEST_CASE("a dimension of nothing is refused by name", "[launch_limits]") {
  CHECK(names(refusal({0, 1, 1}, {1, 1, 1}), "The grid is (0, 1, 1)"));
  CHECK(names(refusal({1, 1, 0}, {1, 1, 1}), "at least 1"));
  CHECK(names(refusal({1, 1, 1}, {1, 0, 1}), "The block is (1, 0, 1)"));
}

TEST_CASE("one thread, one block or one byte too many is refused", "[launch_limits]") {
  CHECK(names(refusal({1, 1, 1}, {1025, 1, 1}), "1024 threads"));
  CHECK(names(refusal({1, 1, 1}, {33, 32, 1}), "1024 threads"));
  CHECK(names(refusal({1, 1, 1}, {1, 1, 65}), "64 in z"));
  CHECK(names(refusal({1, 65536, 1}, {1, 1, 1}), "65535"));
  CHECK(names(refusal({2147483648u, 1, 1}, {1, 1, 1}), "2147483647"));
  CHECK(names(refusal({1, 1, 1}, {1, 1, 1}, 40961, 8192), "8192 + 40961 bytes"));
}

TEST_CASE("who has asked for more shared memory may have as much and no more", "[launch_limits]") {
  const LaunchConfig config{{1, 1, 1}, {32, 1, 1}, 100'000};
  CHECK(names(launch_refusal(config, 0), "49152"));
  CHECK(launch_refusal(config, 0, 100'000).empty());
  CHECK(names(launch_refusal(config, 1, 100'000), "100000 is the most"));
  CHECK_FALSE(launch_refusal({{1, 1, 1}, {32, 1, 1}, ~std::size_t{0}}, 8, 100'000).empty());
}

TEST_CASE("extents whose product overflows are refused all the same", "[launch_limits]") {
  CHECK_FALSE(refusal({1, 1, 1}, {65536, 65536, 1}).empty());
  CHECK_FALSE(refusal({1, 1, 1}, {4294967295u, 4294967295u, 4294967295u}).empty());
}
