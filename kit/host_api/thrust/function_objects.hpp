// Thrust's function objects, and its placeholders: `_1 * 2 + _2`.
#pragma once

#include <cstddef>
#include <functional>
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
  T operator()(const T& one, const T& other) const { return one < other ? other : one; }
};
template <typename T = void>
struct minimum {
  T operator()(const T& one, const T& other) const { return one < other ? one : other; }
};
template <>
struct maximum<void> {
  template <typename T, typename U>
  auto operator()(const T& one, const U& other) const {
    return one < other ? other : one;
  }
};
template <>
struct minimum<void> {
  template <typename T, typename U>
  auto operator()(const T& one, const U& other) const {
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

struct Place1 {
  template <typename All>
  auto operator()(const All& all) const {
    return std::get<0>(all);
  }
};
struct Place2 {
  template <typename All>
  auto operator()(const All& all) const {
    return std::get<1>(all);
  }
};
struct Place3 {
  template <typename All>
  auto operator()(const All& all) const {
    return std::get<2>(all);
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
inline constexpr placeholders_of_arguments::Expression<placeholders_of_arguments::Place1> _1{};
inline constexpr placeholders_of_arguments::Expression<placeholders_of_arguments::Place2> _2{};
inline constexpr placeholders_of_arguments::Expression<placeholders_of_arguments::Place3> _3{};
}  // namespace placeholders

}  // namespace thrust
