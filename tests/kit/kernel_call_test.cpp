// Kernels of any signature get their arguments in order.
#include "runner/kernel_call.hpp"

#include <bit>
#include <stdexcept>
#include <tuple>

#include <catch2/catch_test_macros.hpp>

#include "simt/machine.hpp"

using namespace tilelab;
using protocol::Argument;
using protocol::Role;

namespace {

Argument scalar(std::string element, std::uint64_t bits) {
  Argument argument;
  argument.element = std::move(element);
  argument.bits = bits;
  return argument;
}
Argument integer(int value) { return scalar("int", std::bit_cast<unsigned>(value)); }
Argument number(float value) { return scalar("float", std::bit_cast<std::uint32_t>(value)); }
Argument wide(double value) { return scalar("double", std::bit_cast<std::uint64_t>(value)); }
Argument buffer() {
  Argument argument;
  argument.role = Role::input;
  return argument;
}

template <typename Kernel>
void call(Kernel* kernel, const std::vector<Argument>& arguments, const std::vector<std::uintptr_t>& addresses = {}) {
  simt::MemoryMap memory;
  const simt::Announcer announcer;
  simt::FiberStacks stacks(1);
  simt::Machine machine(memory, announcer, stacks, 1000);
  const KernelCall prepared(reinterpret_cast<std::uintptr_t>(kernel), arguments, addresses);
  simt::LaunchEvent launch;
  launch.grid = launch.block = {1, 1, 1};
  machine.run(launch, [&] { prepared(); }, {});
}

std::tuple<const float*, const float*, float*, int, int, int> matmul_got;
void matmul(const float* a, const float* b, float* c, int m, int n, int k) { matmul_got = {a, b, c, m, n, k}; }

std::tuple<float, int, double, const int*, float, long long, unsigned, double> mixed_got;
void mixed(float a, int b, double c, const int* d, float e, long long f, unsigned g, double h) { mixed_got = {a, b, c, d, e, f, g, h}; }

std::vector<double> many_got;
void many(int a, float b, int c, double d, int e, float f, int g, double h, int i, float j, int k, double l, int m, float n, int o,
          double p, int q, float r, int s, double t, int u, float v, long long w, double x) {
  many_got = {double(a), b, double(c), d, double(e), f, double(g), h, double(i), j, double(k), l,
              double(m), n, double(o), p, double(q), r, double(s), t, double(u), v, double(w), x};
}

struct Answer {  // as tilelab/device.cuh's LaunchConfig
  unsigned grid[3], block[3], shared_bytes;
};
Answer launch_of_three(int m, int n, int k) {
  return {{static_cast<unsigned>(m), static_cast<unsigned>(n), 1}, {static_cast<unsigned>(k), 2, 3}, 77};
}

}  // namespace

TEST_CASE("a matrix kernel gets three pointers and three integers", "[kernel_call]") {
  float a = 0, b = 0, c = 0;
  const auto at = [](const float& x) { return reinterpret_cast<std::uintptr_t>(&x); };
  call(matmul, {buffer(), buffer(), buffer(), integer(3), integer(-4), integer(5)}, {at(a), at(b), at(c)});
  CHECK(matmul_got == std::tuple<const float*, const float*, float*, int, int, int>{&a, &b, &c, 3, -4, 5});
}

TEST_CASE("floats, doubles, integers of every width and pointers may be mixed", "[kernel_call]") {
  const int value = 0;
  call(mixed,
       {number(1.5f), integer(-2), wide(0.1), buffer(), number(-3.25f), scalar("long long", 1ull << 40), scalar("unsigned", 0xFFFFFFFFu),
        wide(-1e300)},
       {reinterpret_cast<std::uintptr_t>(&value)});
  CHECK(mixed_got == std::tuple<float, int, double, const int*, float, long long, unsigned, double>{1.5f, -2, 0.1, &value, -3.25f,
                                                                                                    1ll << 40, 0xFFFFFFFFu, -1e300});
}

TEST_CASE("arguments beyond the registers follow on the stack, both kinds in one order", "[kernel_call]") {
  std::vector<Argument> arguments;
  std::vector<double> expected;
  for (int i = 0; i < 24; ++i) {
    const double value = i + 1;
    expected.push_back(value);
    if (i == 22)
      arguments.push_back(scalar("long long", 23));
    else if (i % 2 == 0)
      arguments.push_back(integer(i + 1));
    else if (i % 4 == 1)
      arguments.push_back(number(static_cast<float>(value)));
    else
      arguments.push_back(wide(value));
  }
  call(many, arguments);
  CHECK(many_got == expected);
}

TEST_CASE("more arguments than can be passed are refused before the call", "[kernel_call]") {
  CHECK_NOTHROW(KernelCall(0, std::vector<Argument>(22, integer(1)), {}));
  CHECK_THROWS_AS(KernelCall(0, std::vector<Argument>(30, integer(1)), {}), std::invalid_argument);
  CHECK_THROWS_AS(KernelCall(0, std::vector<Argument>(30, wide(1)), {}), std::invalid_argument);
}

TEST_CASE("a buffer without an address is refused", "[kernel_call]") {
  CHECK_THROWS_AS(KernelCall(0, {buffer(), buffer()}, {8}), std::out_of_range);
}

TEST_CASE("a launch function answers grid, block and shared bytes", "[kernel_call]") {
  simt::MemoryMap memory;
  const simt::Announcer announcer;
  simt::FiberStacks stacks(1);
  simt::Machine machine(memory, announcer, stacks, 1000);
  simt::LaunchEvent launch;
  launch.grid = launch.block = {1, 1, 1};
  protocol::LaunchConfig config;
  machine.run(launch, [&] { config = call_launch(reinterpret_cast<std::uintptr_t>(&launch_of_three), {7, 8, 9}); }, {});
  CHECK(config.grid.x == 7);
  CHECK(config.grid.y == 8);
  CHECK(config.grid.z == 1);
  CHECK(config.block.x == 9);
  CHECK(config.block.z == 3);
  CHECK(config.shared_bytes == 77);
}
