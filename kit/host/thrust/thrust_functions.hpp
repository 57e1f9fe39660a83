// Thrust's function objects, and its placeholders: `_1 * 2 + _2`. And its generators and distributions, which draw the numbers that
// Thrust's draw: `normal_distribution` is missing, because its function has other last digits here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <tuple>
#include <type_traits>
#include <utility>

namespace thrust {

using std::bit_and;
using std::bit_or;
using std::bit_xor;
using std::divides;
using std::equal_to;
using std::greater;
using std::greater_equal;
using std::less;
using std::less_equal;
using std::logical_and;
using std::logical_not;
using std::logical_or;
using std::minus;
using std::modulus;
using std::multiplies;
using std::negate;
using std::not_equal_to;
using std::plus;

template <typename Argument, typename Result>
struct unary_function {
  using argument_type = Argument;
  using result_type = Result;
};
template <typename First, typename Second, typename Result>
struct binary_function {
  using first_argument_type = First;
  using second_argument_type = Second;
  using result_type = Result;
};
template <typename T = void>
struct identity {
  using argument_type = T;
  using result_type = T;
  const T& operator()(const T& one) const { return one; }
};
template <typename T = void>
struct square {
  T operator()(const T& one) const { return one * one; }
};
template <typename T = void>
struct maximum {
  template <typename First, typename Second>
  auto operator()(const First& one, const Second& other) const {
    return one < other ? other : one;
  }
};
template <typename T = void>
struct minimum {
  template <typename First, typename Second>
  auto operator()(const First& one, const Second& other) const {
    return one < other ? one : other;
  }
};
template <typename Predicate>
struct unary_negate {
  Predicate predicate;
  template <typename... Arguments>
  bool operator()(const Arguments&... arguments) const {
    return !predicate(arguments...);
  }
};
template <typename Predicate>
unary_negate<Predicate> not1(Predicate predicate) {
  return {predicate};
}
template <typename Function>
auto make_zip_function(Function function) {
  return [function](auto&& tuple) { return std::apply(function, tuple); };
}

namespace placeholders_of_arguments {

// An expression with placeholders in it: called with arguments, it is the expression's value.
template <typename Function>
struct Expression {
  Function function;
  template <typename... Arguments>
  auto operator()(Arguments&&... arguments) const {
    return function(std::tuple<Arguments&...>(arguments...));
  }
};
template <typename Function>
Expression<Function> expression(Function function) {
  return {function};
}
template <typename T>
struct is_expression : std::false_type {};
template <typename Function>
struct is_expression<Expression<Function>> : std::true_type {};
template <typename T, typename U>
using one_is = std::enable_if_t<is_expression<T>::value || is_expression<U>::value>;

template <typename T, typename All>
auto value(const T& one, const All& all) {
  if constexpr (is_expression<T>::value)
    return one.function(all);
  else
    return one;
}

template <std::size_t i>
struct Place {
  template <typename All>
  auto operator()(const All& all) const {
    return std::get<i>(all);
  }
};

#define TILELAB_PLACEHOLDER(sign)                                                                        \
  template <typename T, typename U, typename = one_is<T, U>>                                             \
  auto operator sign(const T& one, const U& other) {                                                     \
    return expression([one, other](const auto& all) { return value(one, all) sign value(other, all); }); \
  }
TILELAB_PLACEHOLDER(+)
TILELAB_PLACEHOLDER(-)
TILELAB_PLACEHOLDER(*)
TILELAB_PLACEHOLDER(/)
TILELAB_PLACEHOLDER(%)
TILELAB_PLACEHOLDER(==)
TILELAB_PLACEHOLDER(!=)
TILELAB_PLACEHOLDER(<)
TILELAB_PLACEHOLDER(>)
TILELAB_PLACEHOLDER(<=)
TILELAB_PLACEHOLDER(>=)
TILELAB_PLACEHOLDER(&&)
TILELAB_PLACEHOLDER(||)
TILELAB_PLACEHOLDER(&)
TILELAB_PLACEHOLDER(|)
TILELAB_PLACEHOLDER(^)
#undef TILELAB_PLACEHOLDER
template <typename Function>
auto operator-(const Expression<Function>& one) {
  return expression([one](const auto& all) { return -value(one, all); });
}
template <typename Function>
auto operator!(const Expression<Function>& one) {
  return expression([one](const auto& all) { return !value(one, all); });
}

}  // namespace placeholders_of_arguments

namespace placeholders {
inline constexpr placeholders_of_arguments::Expression<placeholders_of_arguments::Place<0>> _1{};
inline constexpr placeholders_of_arguments::Expression<placeholders_of_arguments::Place<1>> _2{};
inline constexpr placeholders_of_arguments::Expression<placeholders_of_arguments::Place<2>> _3{};
}  // namespace placeholders

// As in Thrust, the limits are constants and no functions.
template <typename Engine>
class numbered_engine : public Engine {
 public:
  using result_type = typename Engine::result_type;
  using Engine::Engine;
  static constexpr result_type min = Engine::min(), max = Engine::max();
};
using minstd_rand0 = numbered_engine<std::linear_congruential_engine<std::uint32_t, 16807, 0, 2147483647>>;
using minstd_rand = numbered_engine<std::linear_congruential_engine<std::uint32_t, 48271, 0, 2147483647>>;
using default_random_engine = minstd_rand;

template <typename Real = double>
class uniform_real_distribution {
 public:
  using result_type = Real;
  explicit uniform_real_distribution(Real first = 0, Real last = 1) : first_(first), last_(last) {}
  template <typename Engine>
  Real operator()(Engine& engine) const {
    Real drawn = static_cast<Real>(engine() - Engine::min);
    drawn /= Real(1) + static_cast<Real>(Engine::max - Engine::min);
    return drawn * (last_ - first_) + first_;
  }
  Real a() const { return first_; }
  Real b() const { return last_; }

 private:
  Real first_, last_;
};

template <typename Whole = int>
class uniform_int_distribution {
 public:
  using result_type = Whole;
  explicit uniform_int_distribution(Whole first = 0, Whole last = std::numeric_limits<Whole>::max()) : first_(first), last_(last) {}
  template <typename Engine>
  Whole operator()(Engine& engine) const {
    const uniform_real_distribution<double> between(static_cast<double>(first_), static_cast<double>(last_) + 1);
    return static_cast<Whole>(between(engine));
  }
  Whole a() const { return first_; }
  Whole b() const { return last_; }

 private:
  Whole first_, last_;
};

namespace random {
using thrust::default_random_engine;
using thrust::minstd_rand;
using thrust::minstd_rand0;
using thrust::uniform_int_distribution;
using thrust::uniform_real_distribution;
}  // namespace random

}  // namespace thrust
