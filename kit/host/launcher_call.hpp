// Calls a launcher: a host function of the student's with the operands of a lab. The grader writes the program's main, which is one line:
//
//   int main() { return ::tilelab_host::Launcher<void(float const*, float*, int)>::run(solve, [](auto... values) { solve(values...); }); }
//
// The second argument is the call by name, for a launcher whose last parameters have default arguments, which a pointer does not know.
// The library implements it for the executor; native_launcher.hpp for a GPU.
#pragma once

#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tilelab_host {

struct OperandValue {
  const void* address = nullptr;  // of a buffer
  double number = 0;              // of a scalar
};

// Asks for the operands. Ends the program where there are not `count`.
const OperandValue* launcher_operands(std::size_t count);
// The launcher came back. What happens after this is of no interest.
[[noreturn]] void launcher_done();

template <typename Parameter>
std::decay_t<Parameter> operand_as(const OperandValue& value) {
  using Type = std::decay_t<Parameter>;
  if constexpr (std::is_pointer_v<Type>)
    return (Type)(const_cast<void*>(value.address));  // as any pointer type, qualified or not
  else if constexpr (std::is_arithmetic_v<Type> || std::is_enum_v<Type>)
    return static_cast<Type>(value.number);
  else
    return Type(static_cast<float>(value.number));  // half and its relatives
}

// An operand that becomes whatever the launcher's parameter is.
class AnyOperand {
 public:
  explicit AnyOperand(const OperandValue& value) : value_(value) {}
  template <typename Type>
  operator Type*() const {
    return operand_as<Type*>(value_);
  }
  template <typename Type, typename = std::enable_if_t<std::is_arithmetic_v<Type>>>
  operator Type() const {
    return operand_as<Type>(value_);
  }

 private:
  const OperandValue& value_;
};

template <typename Signature>
struct Launcher;

template <typename... Parameters>
struct Launcher<void(Parameters...)> {
  template <typename Result, typename Call>
  static int run(Result (*launcher)(Parameters...), Call) {
    call(launcher, std::make_index_sequence<sizeof...(Parameters)>());
    launcher_done();
  }
  // Of a template that has the lab's name, the function with the lab's parameters.
  template <typename Call>
  static int run(void (*launcher)(Parameters...), Call call) {
    return run<void>(launcher, call);
  }
  // Another signature: `float*` for `float const*`, `size_t` or `const int&` for `int`, more parameters with default arguments.
  template <typename Result, typename Call, typename... Others,
            typename = std::enable_if_t<!std::is_same_v<void(Others...), void(Parameters...)>>>
  static int run(Result (*launcher)(Others...), Call by_name) {
    static_assert(sizeof...(Others) >= sizeof...(Parameters), "the launcher has another number of parameters than the lab gives it");
    if constexpr (sizeof...(Others) == sizeof...(Parameters)) {
      static_assert(((std::is_pointer_v<std::remove_reference_t<Others>> == std::is_pointer_v<Parameters>) && ...),
                    "the launcher's parameters are in another order");
      return Launcher<void(Others...)>::run(launcher, by_name);
    } else if constexpr (sizeof...(Others) > sizeof...(Parameters)) {
      [[maybe_unused]] Result (*volatile kept)(Others...) = launcher;
      call_by_name(by_name, std::make_index_sequence<sizeof...(Parameters)>());
      launcher_done();
    }
    return 0;
  }

 private:
  template <typename Result, std::size_t... Places>
  static void call(Result (*launcher)(Parameters...), std::index_sequence<Places...>) {
    Result (*volatile kept)(Parameters...) = launcher;  // the function stays one, and its parameters have names
    [[maybe_unused]] const OperandValue* const given = launcher_operands(sizeof...(Parameters));
    [[maybe_unused]] std::tuple<std::decay_t<Parameters>...> values{
        operand_as<Parameters>(given[Places])...};  // which a reference may refer to
    static_cast<void>(kept(static_cast<Parameters&&>(std::get<Places>(values))...));
  }
  template <typename Call, std::size_t... Places>
  static void call_by_name(Call by_name, std::index_sequence<Places...>) {
    [[maybe_unused]] const OperandValue* const given = launcher_operands(sizeof...(Parameters));
    by_name(AnyOperand(given[Places])...);
  }
};

}  // namespace tilelab_host
