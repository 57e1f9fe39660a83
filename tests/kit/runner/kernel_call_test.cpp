// Kernels of any signature get their arguments in order.
#include "runner/kernel_call.hpp"

#include <bit>
#include <cstring>
#include <stdexcept>
#include <tuple>

#include <catch2/catch_test_macros.hpp>

#include "executor/machine/machine.hpp"

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

struct Two {  // one word for each kind of register
  double wide;
  int number;
};
struct Many {
  int values[20];
};
struct Most {  // with an integer beside it, as much as CUDA passes
  int values[8190];
};
struct Empty {};
struct Counted {  // passed by reference: its copies are made by code
  int value = 0;
  Counted() = default;
  Counted(const Counted& other) : value(other.value) {}
};

template <typename Object>
Argument object(const Object& value, protocol::Passing passing, std::vector<protocol::Piece> pieces = {}) {
  Argument argument;
  argument.role = Role::object;
  argument.passing = passing;
  argument.pieces = std::move(pieces);
  argument.words.resize((sizeof value + 7) / 8);
  std::memcpy(argument.words.data(), &value, sizeof value);
  return argument;
}

std::vector<double> objects_got;
void objects(int a, Two b, Empty, Many c, float d, Two e, int f, Counted g) {
  objects_got = {double(a), b.wide, double(b.number), double(c.values[0]), double(c.values[19]),
                 d,         e.wide, double(e.number), double(f),           double(g.value)};
}
void most(Most all, int last) { objects_got = {double(all.values[0]), double(all.values[8189]), double(last)}; }
void five_pairs(Two a, Two b, Two c, Two d, Two e, Two f, Two g, int last) {
  objects_got = {a.wide,           double(a.number), f.wide, double(f.number), g.wide, double(g.number),
                 double(e.number), double(last),     b.wide, c.wide,           d.wide};
}

struct Answer {  // as tilelab/device.cuh's LaunchConfig
  unsigned grid[3], block[3];
  std::size_t shared_bytes;
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
  CHECK_THROWS_AS(KernelCall(0, std::vector<Argument>(4200, integer(1)), {}), std::invalid_argument);
  CHECK_THROWS_AS(KernelCall(0, std::vector<Argument>(4200, wide(1)), {}), std::invalid_argument);
}

#if defined(__x86_64__)
TEST_CASE("objects travel in registers, on the stack, by reference or not at all", "[kernel_call]") {
  const std::vector<protocol::Piece> pieces{{0, 8, true}, {8, 8, false}};
  Many many{};
  many.values[0] = 5;
  many.values[19] = 6;
  Argument counted = object(7, protocol::Passing::reference);
  call(objects,
       {integer(1), object(Two{2.5, 3}, protocol::Passing::registers, pieces), object(Empty{}, protocol::Passing::registers),
        object(many, protocol::Passing::stack), number(8), object(Two{9, 10}, protocol::Passing::registers, pieces), integer(11), counted});
  CHECK(objects_got == std::vector<double>{1, 2.5, 3, 5, 6, 8, 9, 10, 11, 7});
}

TEST_CASE("as many bytes of arguments arrive as CUDA passes", "[kernel_call]") {
  Most all{};
  all.values[0] = 5;
  all.values[8189] = 6;
  call(most, {object(all, protocol::Passing::stack), integer(7)});
  CHECK(objects_got == std::vector<double>{5, 6, 7});
}

TEST_CASE("an object for which the registers do not suffice lies on the stack as a whole", "[kernel_call]") {
  const std::vector<protocol::Piece> pieces{{0, 8, true}, {8, 8, false}};
  std::vector<Argument> arguments;
  for (int i = 1; i <= 7; ++i) arguments.push_back(object(Two{i * 1.0, i * 10}, protocol::Passing::registers, pieces));
  arguments.push_back(integer(99));
  call(five_pairs, arguments);
  CHECK(objects_got == std::vector<double>{1, 10, 6, 60, 7, 70, 50, 99, 2, 3, 4});
}

TEST_CASE("pointers in an object lead to the buffers behind the kernel's arguments", "[kernel_call]") {
  struct Pointers {
    int* first;
    int* second;
  };
  static Pointers got;
  Argument pointers = object(Pointers{}, protocol::Passing::registers, {{0, 8, false}, {8, 8, false}});
  pointers.pointers = {{8, 1}, {0, 2}};
  Argument hidden = buffer();
  hidden.hidden = true;
  call(+[](Pointers p) { got = p; }, {pointers, hidden, hidden}, {64, 128});
  CHECK(got.second == reinterpret_cast<int*>(64));
  CHECK(got.first == reinterpret_cast<int*>(128));
}
#endif

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
