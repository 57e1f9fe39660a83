// Launchers as students declare them, called with the operands of a lab. The grader's line of main is in
// grader/run/program_judging.py.
#include "host/launcher_call.hpp"

#include <catch2/catch_test_macros.hpp>
#include <vector>

namespace {

struct Done {};

float in[4] = {1, 2, 3, 4}, out[4];
int called_with = 0, seen_extra = 0;

void keep(const float* from, const float* to, int n) {
  called_with = n;
  if (from != in || to != out) called_with = -1;
}

}  // namespace

namespace tilelab_host {

const OperandValue* launcher_operands(std::size_t count) {
  static const OperandValue all[] = {{in, 0}, {out, 0}, {nullptr, 1021}};
  if (count != 3) throw std::size_t{count};
  return all;
}

void launcher_done() { throw Done{}; }

}  // namespace tilelab_host

// As the launcher's text and main() are: one function each.
#define CALLS(launcher)                                                                                                                    \
  do {                                                                                                                                     \
    called_with = 0;                                                                                                                       \
    CHECK_THROWS_AS((tilelab_host::Launcher<void(float const*, float*, int)>::run(launcher, [](auto... values) { launcher(values...); })), \
                    Done);                                                                                                                 \
    CHECK(called_with == 1021);                                                                                                            \
  } while (false)

namespace students {

void as_asked(const float* a, float* b, int n) { keep(a, b, n); }
void not_const(float* a, float* b, int n) { keep(a, b, n); }
void wide(const float* __restrict__ a, float* b, const std::size_t n) { keep(a, b, static_cast<int>(n)); }
void with_references(const float* const& a, float*& b, const int& n) { keep(a, b, n); }
void with_plain_references(const float*& a, float*& b, int& n) { keep(a, b, n); }
void with_moved(const float*&& a, float*&& b, int&& n) { keep(a, b, n); }
int with_result(const float* a, float* b, unsigned n) {
  keep(a, b, static_cast<int>(n));
  return 7;
}
void untyped(const void* a, void* b, long n) { keep(static_cast<const float*>(a), static_cast<float*>(b), static_cast<int>(n)); }
void with_default(const float* a, float* b, int n, int threads = 256) {
  keep(a, b, n);
  seen_extra = threads;
}
void with_two_defaults(float* a, float* const& b, const std::size_t& n, float scale = 2.0f, const float* more = nullptr) {
  keep(a, b, static_cast<int>(n));
  seen_extra = scale == 2.0f && more == nullptr ? 2 : 0;
}
template <typename T>
void of_a_type(const T* a, T* b, int n) {
  keep(a, b, n);
}
void overloaded(const float*) { called_with = -2; }
void overloaded(const float* a, float* b, int n) { keep(a, b, n); }

}  // namespace students

TEST_CASE("a launcher that can be called with the lab's operands is called", "[launcher_call]") {
  CALLS(students::as_asked);
  CALLS(students::not_const);
  CALLS(students::wide);
  CALLS(students::with_references);
  CALLS(students::with_plain_references);
  CALLS(students::with_moved);
  CALLS(students::with_result);
  CALLS(students::untyped);
  CALLS(students::of_a_type);
  CALLS(students::overloaded);
}

TEST_CASE("parameters that the lab does not know have their default arguments", "[launcher_call]") {
  CALLS(students::with_default);
  CHECK(seen_extra == 256);
  CALLS(students::with_two_defaults);
  CHECK(seen_extra == 2);
}
