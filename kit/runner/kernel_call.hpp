// Calls a kernel of any signature made of pointers and scalars, and a launch function.
//
// Theory: under the System V (x86-64) and AAPCS64 (aarch64) conventions integers and floating-point values travel in
// registers of their own, in order, and what does not fit follows on the stack, in order. Filling every register a
// kernel could read, and then the stack, calls it without knowing its type.
#pragma once

#include <cstdint>
#include <vector>

#include "runner/protocol.hpp"

namespace tilelab {

class KernelCall {
 public:
  // `addresses`: one per buffer argument, in order. Throws std::invalid_argument when there are more arguments than fit.
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

// What the launch function at `address` answers for up to six integers. Call it on a fiber, as a kernel is called.
protocol::LaunchConfig call_launch(std::uintptr_t address, const std::vector<int>& arguments);

}  // namespace tilelab
