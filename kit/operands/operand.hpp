// The arguments of a kernel, in its order: buffers with what they hold before the launch and what they must hold after it, and numbers.
// Plain data that a problem in kit/problems makes. Only the problem knows what the numbers mean.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilelab {

// The types that elements of a buffer and numbers of a kernel may have, their names in CUDA, and how their bytes are read and written.
// Problems compute in double. So a 64-bit integer may be at most 2^53 here.

enum class ElementType { f16, bf16, f32, f64, i8, i16, i32, i64, u8, u16, u32, u64 };

std::string_view cuda_name(ElementType type);  // "float", "__half", "unsigned char": as findings show it
std::size_t bytes_of(ElementType type);        // of one element
bool is_floating(ElementType type);

// The bytes of these numbers, little-endian. Floating types round to nearest even; an infinity or NaN stays one. Throws
// std::logic_error for a number that an integer type cannot hold.
std::vector<std::byte> encoded(ElementType type, std::span<const double> values);

// What the bytes mean. Throws std::logic_error if they are no whole number of elements.
std::vector<double> decoded(ElementType type, std::span<const std::byte> bytes);

// The distance from the type's number nearest to `value` to the next one away from zero; 1 for integers. In the range of subnormal
// numbers it is the smallest of them.
double unit_in_last_place(ElementType type, double value);

}  // namespace tilelab

namespace tilelab::judge {

// What a buffer must hold after the launch, row-major. An element is right if |got - value| <= bound. Without bounds it must be exactly
// equal. Values of 64-bit integers are at most 2^53.
// A value may be infinite or NaN where the inputs make it so, and only if `non_finite` says so. Such an element must be written, and
// may hold anything: 0 * Inf is NaN where zeros fill a tile up, and compensated sums make Inf a NaN as well.
struct Expectation {
  std::size_t rows = 0, columns = 0;
  std::vector<double> values;
  std::vector<double> bounds = {};
  bool non_finite = false;
  std::string rule = {};  // why the bounds are what they are, for people: "4·√K·u·Σ|a·b|"; empty: exact, or not stated
};

struct Operand {
  enum class Kind {
    input,   // must not change
    output,  // no thread may read an element before one was written; the kernel must write them all
    inout,   // holds `values` before the launch, and what `expectation` says after it
    scalar
  };
  std::string name;
  Kind kind = Kind::scalar;
  ElementType type = ElementType::i32;
  std::size_t columns = 0;          // of a buffer: elements in a row
  std::vector<double> values = {};  // of an input or inout
  Expectation expectation = {};     // of an output or inout
  double number = 0;                // of a scalar
  bool is_for_host = false;         // of an input: a launcher may read it on the host and hand it on, as the weights of a mask

  bool is_buffer() const { return kind != Kind::scalar; }
  bool is_result() const { return kind == Kind::output || kind == Kind::inout; }
  std::size_t elements() const { return kind == Kind::output ? expectation.values.size() : values.size(); }
};

// As messages and files say it.
inline const char* name_of(Operand::Kind kind) {
  constexpr const char* names[] = {"input", "output", "inout", "scalar"};
  return names[static_cast<int>(kind)];
}

inline Operand input(std::string name, ElementType type, std::size_t columns, std::vector<double> values) {
  return {.name = std::move(name), .kind = Operand::Kind::input, .type = type, .columns = columns, .values = std::move(values)};
}

// What host code may read as well, to pass it to its kernels in another way. Only for a few numbers from which no result follows.
inline Operand for_host(Operand operand) {
  operand.is_for_host = true;
  return operand;
}

inline Operand output(std::string name, ElementType type, Expectation expectation) {
  const std::size_t columns = expectation.columns;
  return {.name = std::move(name), .kind = Operand::Kind::output, .type = type, .columns = columns, .expectation = std::move(expectation)};
}

// Throws std::logic_error at the launch if there are not as many values as expected ones.
inline Operand inout(std::string name, ElementType type, std::vector<double> values, Expectation expectation) {
  Operand operand = output(std::move(name), type, std::move(expectation));
  operand.kind = Operand::Kind::inout;
  operand.values = std::move(values);
  return operand;
}

// An output that holds zeros before the launch, as after cudaMemset: a histogram that threads count up.
inline Operand zeroed(std::string name, ElementType type, Expectation expectation) {
  std::vector<double> zeros(expectation.values.size());
  return inout(std::move(name), type, std::move(zeros), std::move(expectation));
}

inline Operand scalar(std::string name, ElementType type, double number) {
  return {.name = std::move(name), .kind = Operand::Kind::scalar, .type = type, .number = number};
}

// The usual ones: fp32 buffers and an int.
inline Operand input(std::string name, std::size_t columns, const std::vector<float>& values) {
  return input(std::move(name), ElementType::f32, columns, {values.begin(), values.end()});
}
inline Operand output(std::string name, Expectation expectation) {
  return output(std::move(name), ElementType::f32, std::move(expectation));
}
inline Operand integer(std::string name, int value) { return scalar(std::move(name), ElementType::i32, value); }

// Expectations with a bound for each element. `ulps`: units in the last place of the type at the expected value. `relative`: a part of
// its absolute value, and never less than `least`.
Expectation within_ulps(Expectation exact, ElementType type, double ulps);
Expectation within_relative(Expectation exact, double relative, double least = 0.0);

// What the elements of an output hold before a launch, so that an element which nobody wrote is known afterwards.
//
// For floating types it is a quiet NaN that no computation makes. An integer type has no such pattern: where a result holds it by
// chance, only a second launch with the other pattern can tell.
enum class Fill {
  telling,  // NaN, or 0xC5 in every byte
  other     // 0x42 in every byte: 48.6 as a float
};

// The bytes of a buffer before the launch. Throws std::logic_error if an inout has not as many values as expected ones.
std::vector<std::byte> content_before(const Operand& buffer, Fill fill);

// What a result holds after the launch; unwritten_value() where an output still holds the fill and should not.
std::vector<double> content_after(const Operand& result, std::span<const std::byte> bytes, Fill fill);

// Whether an element of an output is right, and would be if nobody had written it.
bool is_right_by_chance(const Operand& output, std::span<const std::byte> bytes, Fill fill);

// A NaN that stands for an element that was never written.
double unwritten_value();
bool is_unwritten(double value);

}  // namespace tilelab::judge
