// Announces what a compiler forgot to: the builder proves on the machine code which accesses nothing announces, and has these called
// before them. They stand in the middle of other code, so they leave every register and the flags as they are.
//
// The calls: %rdi or x0 holds the address, %rsi or x1 the number of bytes. On x86-64 the caller has saved those two on its stack.
#include <cstddef>
#include <cstdint>

#include "simt/machine.hpp"

namespace {
constexpr std::size_t link_bytes = 2 * sizeof(std::uintptr_t);
constexpr std::size_t saved_by_caller = 2 * sizeof(std::uintptr_t);
constexpr std::size_t widest_access = 16;  // longer ones go in pieces, as a copy's do
}  // namespace

// `link`: the frame of the function below, which holds its caller's frame and the place to return to.
extern "C" void tilelab_unseen(std::uintptr_t address, std::size_t bytes, bool writes, const std::uintptr_t* link) {
  using tilelab::simt::AccessKind;
  auto& machine = tilelab::simt::Machine::current();
  const std::uintptr_t frame = link[0], pc = link[1];
  const std::uintptr_t stack_pointer = reinterpret_cast<std::uintptr_t>(link) + link_bytes + saved_by_caller;
  for (std::size_t at = 0; at < bytes; at += widest_access) {
    const std::size_t size = bytes - at < widest_access ? bytes - at : widest_access;
    if (writes && machine.refuses_below(stack_pointer, address + at, pc, frame)) return;
    machine.access(address + at, size, writes ? AccessKind::write : AccessKind::read, false, pc, frame);
  }
}

#if defined(__x86_64__)
#define TILELAB_UNSEEN(name, writes)                                                                                                    \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name ":\n"                                                               \
      "  pushq %rbp\n  movq %rsp, %rbp\n  pushfq\n  cld\n"                                                                              \
      "  pushq %rax\n  pushq %rcx\n  pushq %rdx\n  pushq %r8\n  pushq %r9\n  pushq %r10\n  pushq %r11\n"                                \
      "  subq $256, %rsp\n  andq $-16, %rsp\n"                                                                                          \
      "  movaps %xmm0, 0(%rsp)\n  movaps %xmm1, 16(%rsp)\n  movaps %xmm2, 32(%rsp)\n  movaps %xmm3, 48(%rsp)\n"                         \
      "  movaps %xmm4, 64(%rsp)\n  movaps %xmm5, 80(%rsp)\n  movaps %xmm6, 96(%rsp)\n  movaps %xmm7, 112(%rsp)\n"                       \
      "  movaps %xmm8, 128(%rsp)\n  movaps %xmm9, 144(%rsp)\n  movaps %xmm10, 160(%rsp)\n  movaps %xmm11, 176(%rsp)\n"                  \
      "  movaps %xmm12, 192(%rsp)\n  movaps %xmm13, 208(%rsp)\n  movaps %xmm14, 224(%rsp)\n  movaps %xmm15, 240(%rsp)\n"                \
      "  movl $" #writes ", %edx\n  movq %rbp, %rcx\n  call tilelab_unseen\n"                                                           \
      "  movaps 0(%rsp), %xmm0\n  movaps 16(%rsp), %xmm1\n  movaps 32(%rsp), %xmm2\n  movaps 48(%rsp), %xmm3\n"                         \
      "  movaps 64(%rsp), %xmm4\n  movaps 80(%rsp), %xmm5\n  movaps 96(%rsp), %xmm6\n  movaps 112(%rsp), %xmm7\n"                       \
      "  movaps 128(%rsp), %xmm8\n  movaps 144(%rsp), %xmm9\n  movaps 160(%rsp), %xmm10\n  movaps 176(%rsp), %xmm11\n"                  \
      "  movaps 192(%rsp), %xmm12\n  movaps 208(%rsp), %xmm13\n  movaps 224(%rsp), %xmm14\n  movaps 240(%rsp), %xmm15\n"                \
      "  leaq -64(%rbp), %rsp\n"                                                                                                        \
      "  popq %r11\n  popq %r10\n  popq %r9\n  popq %r8\n  popq %rdx\n  popq %rcx\n  popq %rax\n  popfq\n  popq %rbp\n  ret\n"           \
      ".size " #name ", .-" #name "\n")
TILELAB_UNSEEN(tilelab_unseen_read, 0);
TILELAB_UNSEEN(tilelab_unseen_write, 1);
#endif
