// Errors of the driver become the verdicts that the CPU executor gives for the same mistake. The numbers in kit/gpu are those of
// <cuda.h>, which are compared if it is installed.
#include "gpu/driver_api.hpp"

#include <catch2/catch_test_macros.hpp>

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

using namespace tilelab;
using protocol::Status;

TEST_CASE("errors of a kernel get a verdict, and those of the machine are ours", "[device-trouble]") {
  CHECK(cuda::trouble_of(700, "x").finding == "out-of-bounds");
  CHECK(cuda::trouble_of(716, "x").finding == "misaligned");
  CHECK(cuda::trouble_of(710, "x").status == Status::crash);
  CHECK(cuda::trouble_of(719, "x").status == Status::crash);
  CHECK(cuda::trouble_of(702, "x").status == Status::timeout);
  CHECK(cuda::trouble_of(701, "x").status == Status::launch_error);
  CHECK(cuda::trouble_of(2, "x").status == Status::internal_error);
  CHECK(cuda::trouble_of(999, "x").status == Status::internal_error);
}

TEST_CASE("a launch that was refused spoils nothing; a kernel that failed spoils its context", "[device-trouble]") {
  CHECK(!cuda::trouble_of(701, "x").spoils);
  CHECK(!cuda::trouble_of(1, "x").spoils);
  for (const int error : {700, 710, 716, 717, 718, 719, 999}) CHECK(cuda::trouble_of(error, "x").spoils);
}

TEST_CASE("the driver's numbers are those of cuda.h", "[device-trouble]") {
#if defined(CUDA_VERSION)
  using cuda::DeviceAttribute, cuda::FunctionAttribute;
  CHECK(static_cast<int>(DeviceAttribute::shared_bytes_per_block) == CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  CHECK(static_cast<int>(DeviceAttribute::registers_per_block) == CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
  CHECK(static_cast<int>(DeviceAttribute::clock_rate_khz) == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
  CHECK(static_cast<int>(DeviceAttribute::multiprocessors) == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  CHECK(static_cast<int>(DeviceAttribute::memory_clock_rate_khz) == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
  CHECK(static_cast<int>(DeviceAttribute::memory_bus_bits) == CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
  CHECK(static_cast<int>(DeviceAttribute::l2_bytes) == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  CHECK(static_cast<int>(DeviceAttribute::capability_major) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  CHECK(static_cast<int>(DeviceAttribute::capability_minor) == CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  CHECK(static_cast<int>(FunctionAttribute::max_threads_per_block) == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  CHECK(static_cast<int>(FunctionAttribute::static_shared_bytes) == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  CHECK(static_cast<int>(FunctionAttribute::local_bytes) == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  CHECK(static_cast<int>(FunctionAttribute::registers) == CU_FUNC_ATTRIBUTE_NUM_REGS);
  CHECK(cuda::blocking_sync == CU_CTX_SCHED_BLOCKING_SYNC);
  CHECK(CUDA_ERROR_ILLEGAL_ADDRESS == 700);
  CHECK(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES == 701);
  CHECK(CUDA_ERROR_LAUNCH_TIMEOUT == 702);
  CHECK(CUDA_ERROR_ASSERT == 710);
  CHECK(CUDA_ERROR_MISALIGNED_ADDRESS == 716);
  CHECK(CUDA_ERROR_LAUNCH_FAILED == 719);
#else
  SKIP("there is no <cuda.h> here");
#endif
}
