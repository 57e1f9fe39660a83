// CUDA's last error, and the one that a kernel leaves behind.
#include "program/run_record.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::program;

TEST_CASE("the last error is told once, or as often as somebody only looks", "[api_errors]") {
  ApiErrors errors;
  CHECK(errors.last(false) == 0);
  CHECK(errors.fail("launch", CudaError::invalid_configuration, 5) == 9);
  CHECK(errors.sticky() == 0);
  CHECK_FALSE(errors.all().front().seen);
  CHECK(errors.last(true) == 9);
  CHECK(errors.last(false) == 9);
  CHECK(errors.last(false) == 0);
  CHECK(errors.all().front().seen);
}

TEST_CASE("what a kernel did wrong is known when the host waits, and then for good", "[api_errors]") {
  ApiErrors errors;
  errors.fail_later(CudaError::illegal_address, 5);
  CHECK(errors.last(false) == 0);
  CHECK(errors.sticky() == 0);
  CHECK(errors.arrive(8) == 700);
  CHECK(errors.sticky() == 700);
  CHECK(errors.last(false) == 700);
  CHECK(errors.last(false) == 700);
  CHECK(errors.all().front().returned_at == 8);
  errors.reset();
  CHECK(errors.arrive(9) == 0);
}

TEST_CASE("an error at one place is counted, and there is an end to the list", "[api_errors]") {
  ApiErrors errors;
  for (int i = 0; i < 3; ++i) errors.fail("free", CudaError::invalid_value, 5);
  CHECK(errors.all().size() == 1);
  CHECK(errors.all().front().count == 3);
  for (std::uint64_t at = 0; at < 5000; ++at) errors.fail("free", CudaError::invalid_value, at);
  CHECK(errors.all().size() == 1000);
  CHECK_FALSE(errors.is_whole());
}
