// Calls a kernel of any signature made of pointers and scalars, and a launch function.
//
// Theory: the System V (x86-64) and AAPCS64 (aarch64) conventions pass integers and floating-point values in separate registers,
// in order. What does not fit is passed on the stack, in order. So filling every register that a kernel could read, and then the
// stack, calls the kernel without knowing its type.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/protocol.hpp"

namespace tilelab {

class KernelCall {
 public:
  // `addresses`: one for each buffer argument, in order. Throws std::invalid_argument if there are more arguments than fit.
  KernelCall(std::uintptr_t kernel, const std::vector<protocol::Argument>& arguments, const std::vector<std::uintptr_t>& addresses);
  void operator()() const;

 private:
  static constexpr std::size_t floating_registers = 8, stack_slots = 16;
#if defined(__aarch64__)
  static constexpr std::size_t integer_registers = 8;
#else
  static constexpr std::size_t integer_registers = 6;
#endif
  std::uintptr_t kernel_;
  std::uint64_t integers_[integer_registers]{};
  double floating_[floating_registers]{};
  std::uint64_t stack_[stack_slots]{};
};

// The answer of the launch function at `address` to up to five integers. Call it on a fiber, like a kernel.
protocol::LaunchConfig call_launch(std::uintptr_t address, const std::vector<int>& arguments);

}  // namespace tilelab
