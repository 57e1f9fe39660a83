// A kernel is found by its name, however it was declared.
#include "gpu/cubin.hpp"

#include <catch2/catch_test_macros.hpp>

using tilelab::cuda::kernel_among;

TEST_CASE("a kernel is found by its signature among kernels of the same name", "[kernel-name]") {
  CHECK(kernel_among({"_Z5scalePfS_i", "_Z5scalePKfPfi", "tilelab_ask_launch"}, "scale(float const*, float*, int)") == "_Z5scalePKfPfi");
  CHECK(!kernel_among({"_Z5scalePfS_i"}, "scale(float const*, float*, int)"));
  CHECK(!kernel_among({"_Z6rescalePKfPfi"}, "scale(float const*, float*, int)"));
}

TEST_CASE("a kernel is found when it is extern \"C\" or in an unnamed namespace", "[kernel-name]") {
  CHECK(kernel_among({"scale"}, "scale(float const*, float*, int)") == "scale");
  const std::string unnamed = "_ZN34_GLOBAL__N__cbe22786_4_s_cu_scalec5scaleEPKfPfi";
  CHECK(kernel_among({unnamed}, "scale(float const*, float*, int)") == unnamed);
  CHECK(kernel_among({"_ZN12_GLOBAL__N_15scaleEPKfPfi"}, "scale(float const*, float*, int)"));
}
