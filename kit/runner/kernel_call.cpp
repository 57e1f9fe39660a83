// Fills registers first, then the stack. Compiled with frame pointers, so that the machine knows where the kit's frames begin.
#include "runner/kernel_call.hpp"

#include <bit>
#include <cstddef>
#include <new>
#include <stdexcept>

#include "simt/machine.hpp"

namespace tilelab {
namespace {

// A submission that writes past a local array can overwrite the registers that it saved for us in its own frame. So we keep
// nothing in these registers across the call. Our values are in our own frame, which the machine guards.
[[gnu::always_inline]] inline void distrust_registers() {
#if defined(__aarch64__)
  asm volatile("" ::: "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "memory");
#else
  asm volatile("" ::: "rbx", "r12", "r13", "r14", "r15", "memory");
#endif
}

}  // namespace

KernelCall::KernelCall(std::uintptr_t kernel, const std::vector<protocol::Argument>& arguments,
                       const std::vector<std::uintptr_t>& addresses)
    : kernel_(kernel) {
  std::size_t integers = 0, floating = 0, stack = 0, buffers = 0;
  const auto push = [&](std::uint64_t bits) {
    if (stack == stack_slots) throw std::invalid_argument("the kernel takes more arguments than the runner can pass");
    stack_[stack++] = bits;
  };
  for (const protocol::Argument& argument : arguments) {
    const bool is_buffer = argument.role != protocol::Role::scalar;
    const std::uint64_t bits = is_buffer ? addresses.at(buffers++) : argument.bits;
    if (!is_buffer && (argument.element == "float" || argument.element == "double")) {
      if (floating < floating_registers)
        floating_[floating++] = std::bit_cast<double>(bits);
      else
        push(bits);
    } else {
      if (integers < integer_registers)
        integers_[integers++] = bits;
      else
        push(bits);
    }
  }
}

void KernelCall::operator()() const {
  using U = std::uint64_t;
  using D = double;
  simt::Machine::current().entered_kernel(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
  const auto& i = integers_;
  const auto& d = floating_;
  const auto& s = stack_;
#if defined(__aarch64__)
  using Kernel = void (*)(U, U, U, U, U, U, U, U, D, D, D, D, D, D, D, D, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U);
  reinterpret_cast<Kernel>(kernel_)(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], s[0],
                                    s[1], s[2], s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15]);
#else
  using Kernel = void (*)(U, U, U, U, U, U, D, D, D, D, D, D, D, D, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U);
  reinterpret_cast<Kernel>(kernel_)(i[0], i[1], i[2], i[3], i[4], i[5], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], s[0], s[1], s[2],
                                    s[3], s[4], s[5], s[6], s[7], s[8], s[9], s[10], s[11], s[12], s[13], s[14], s[15]);
#endif
  distrust_registers();
}

protocol::LaunchConfig call_launch(std::uintptr_t address, const std::vector<int>& arguments) {
  // The same layout as LaunchConfig of tilelab/device.cuh. It is larger than two registers, so it is returned through memory.
  struct Answer {
    unsigned grid[3], block[3], shared_bytes;
  };
  using Launch = Answer (*)(int, int, int, int, int);
  int values[5] = {};
  for (std::size_t n = 0; n < arguments.size() && n < 5; ++n) values[n] = arguments[n];
  // The submission writes its answer directly into this object. The answer is never copied.
  alignas(Answer) std::byte storage[sizeof(Answer)];
  const auto at = reinterpret_cast<std::uintptr_t>(storage);
  simt::Machine::current().entered_kernel(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), {at, at + sizeof storage});
  const Answer& answer = *new (storage) Answer(reinterpret_cast<Launch>(address)(values[0], values[1], values[2], values[3], values[4]));
  distrust_registers();
  return {{answer.grid[0], answer.grid[1], answer.grid[2]}, {answer.block[0], answer.block[1], answer.block[2]}, answer.shared_bytes};
}

}  // namespace tilelab
