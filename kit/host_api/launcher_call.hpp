// Calls a launcher: a host function of the student's with the operands of a lab. The grader writes the program's main, which is one line:
//
//   int main() { return ::tilelab_host::Launcher<void(float const*, float*, int)>::run(solve); }
//
// The library implements it for the executor; native_launcher.hpp for a GPU.
#pragma once

#include <cstddef>
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

template <typename Signature>
struct Launcher;

template <typename... Parameters>
struct Launcher<void(Parameters...)> {
  template <typename Result>
  static int run(Result (*launcher)(Parameters...)) {
    Result (*volatile kept)(Parameters...) = launcher;  // the function stays one, and its parameters have names
    call(kept, std::make_index_sequence<sizeof...(Parameters)>());
    launcher_done();
  }
  // Of a template that has the lab's name, the function with the lab's parameters.
  static int run(void (*launcher)(Parameters...)) { return run<void>(launcher); }
  // Another signature with as many parameters: `float*` for `float const*`, `size_t` for `int`.
  template <typename Result, typename... Others, typename = std::enable_if_t<!std::is_same_v<void(Others...), void(Parameters...)>>>
  static int run(Result (*launcher)(Others...)) {
    static_assert(sizeof...(Others) == sizeof...(Parameters), "the launcher has another number of parameters than the lab gives it");
    if constexpr (sizeof...(Others) == sizeof...(Parameters))
      static_assert(((std::is_pointer_v<Others> == std::is_pointer_v<Parameters>) && ...),
                    "the launcher's parameters are in another order");
    return Launcher<void(Others...)>::run(launcher);
  }

 private:
  template <typename Result, std::size_t... Places>
  static void call(Result (*launcher)(Parameters...), std::index_sequence<Places...>) {
    [[maybe_unused]] const OperandValue* const values = launcher_operands(sizeof...(Parameters));
    static_cast<void>(launcher(operand_as<Parameters>(values[Places])...));
  }
};

}  // namespace tilelab_host
