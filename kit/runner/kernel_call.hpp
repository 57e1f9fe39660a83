// Calls a kernel of any signature made of pointers and scalars, and a launch function.
//
// Theory: the System V (x86-64) and AAPCS64 (aarch64) conventions pass integers and floating-point values in separate registers,
// in order. What does not fit is passed on the stack, in order. So filling every register that a kernel could read, and then the
// stack, calls the kernel without knowing its type. The grader says for each object that is passed by value which of its parts
// travel in registers, or that it lies on the stack, or that a pointer to a copy is passed (grader/run/kernels/parameter_types.py).
#pragma once

#include <cstdint>
#include <vector>

#include "protocol/protocol.hpp"

namespace tilelab {

class KernelCall {
 public:
  // `addresses`: one for each buffer argument, in order. `argument_bytes`: so many bytes of the stack may the kernel take for
  // arguments. Throws std::invalid_argument if there are more arguments than fit.
  KernelCall(std::uintptr_t kernel, const std::vector<protocol::Argument>& arguments, const std::vector<std::uintptr_t>& addresses,
             std::size_t argument_bytes = 0);
  void operator()() const;

 private:
  static constexpr std::size_t floating_registers = 8, stack_slots = 16;
  static constexpr std::size_t large_slots = 528, most_slots = 4112;  // CUDA allows 4096 bytes of arguments, and since 12.1 32,764
  struct Reference {
    std::size_t word;  // in `copies_`
    bool in_register;
    std::size_t place;  // which register, or which slot
  };

  void pass(const protocol::Argument& object, const std::vector<std::uint64_t>& words);
  void push(std::uint64_t bits);
  void pass_integer(std::uint64_t bits);
  void pass_floating(double bits);
  template <std::size_t slots>
  void call_with() const;

#if defined(__aarch64__)
  static constexpr std::size_t integer_registers = 8;
#else
  static constexpr std::size_t integer_registers = 6;
#endif
  std::uintptr_t kernel_;
  std::uint64_t integers_[integer_registers]{};
  double floating_[floating_registers]{};
  std::size_t integers_used_ = 0, floating_used_ = 0, stack_used_ = 0, copies_used_ = 0, references_used_ = 0;
  bool is_large_ = false;    // more than the usual slots, or objects that are passed by reference
  bool is_largest_ = false;  // more than large_slots
  std::uint64_t stack_[most_slots]{};
  std::uint64_t copies_[most_slots]{};  // of objects that are passed by reference; each thread gets its own
  Reference references_[integer_registers + most_slots]{};
};

// The answer of the launch function at `address` to up to five integers. Call it on a fiber, like a kernel.
protocol::LaunchConfig call_launch(std::uintptr_t address, const std::vector<int>& arguments);

}  // namespace tilelab
