// The functions that the compiler's instrumentation calls. We implement the callbacks of the thread sanitizer, the
// undefined-behaviour sanitizer and coverage ourselves, and do not link their runtimes. Linux's KCSAN uses the same interface.
// Compiled with frame pointers: a callback finds its caller's frame through its own.
#include <cstddef>
#include <cstdint>

#include "executor/machine/machine.hpp"

using tilelab::simt::AccessKind;
using tilelab::simt::Machine;

#define PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define CALLER_FRAME (*static_cast<const std::uintptr_t*>(__builtin_frame_address(0)))
#define SITE \
  tilelab::simt::CallSite { PC, CALLER_FRAME }
#define ANNOUNCE_READ(address, size)                                           \
  Machine::current().read<size>(reinterpret_cast<std::uintptr_t>(address), PC, \
                                static_cast<const std::uintptr_t*>(__builtin_frame_address(0)))
#define ANNOUNCE(address, size, kind, is_volatile) \
  Machine::current().access(reinterpret_cast<std::uintptr_t>(address), size, AccessKind::kind, is_volatile, SITE)

#define SIZED(size)                                                                                 \
  void __tsan_write##size(void* address) { ANNOUNCE(address, size, write, false); }                 \
  void __tsan_unaligned_read##size(void* address) { ANNOUNCE(address, size, read, false); }         \
  void __tsan_unaligned_write##size(void* address) { ANNOUNCE(address, size, write, false); }       \
  void __tsan_volatile_read##size(void* address) { ANNOUNCE(address, size, read, true); }           \
  void __tsan_volatile_write##size(void* address) { ANNOUNCE(address, size, write, true); }         \
  void __tsan_unaligned_volatile_read##size(void* address) { ANNOUNCE(address, size, read, true); } \
  void __tsan_unaligned_volatile_write##size(void* address) { ANNOUNCE(address, size, write, true); }

namespace {

// As laid out by GCC and Clang (libsanitizer's ubsan/ubsan_value.h describes the same records).
struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};
struct TypeDescriptor {
  std::uint16_t kind, info;
  char name[1];
};
struct OutOfBoundsData {
  SourceLocation location;
  const TypeDescriptor* array;
  const TypeDescriptor* index;
};
struct MissingReturnData {
  SourceLocation location;
};
struct TypeMismatchData {
  SourceLocation location;
  const TypeDescriptor* type;
  unsigned char log2_alignment, access;
};

// "'float [16]'" -> 16
std::uint64_t bound_of(const char* type_name) {
  const char* p = type_name;
  while (*p != '\0' && *p != '[') ++p;
  std::uint64_t bound = 0;
  for (++p; *p >= '0' && *p <= '9'; ++p) bound = bound * 10 + static_cast<std::uint64_t>(*p - '0');
  return bound;
}

// "'float [16][4]'" -> 1
std::uint32_t inner_dimensions_of(const char* type_name) {
  std::uint32_t brackets = 0;
  for (const char* p = type_name; *p != '\0'; ++p) brackets += *p == '[';
  return brackets > 0 ? brackets - 1 : 0;
}

std::int64_t index_value(const TypeDescriptor& type, std::uintptr_t value) {
  const unsigned bits = 1u << (type.info >> 1);
  const bool is_signed = (type.info & 1) != 0;
  if (!is_signed || bits >= 64) return static_cast<std::int64_t>(value);
  const unsigned shift = 64 - bits;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift) >> shift;
}

}  // namespace

extern "C" {

SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)
SIZED(16)

void __tsan_read1(void* address) { ANNOUNCE(address, 1, read, false); }
void __tsan_read2(void* address) { ANNOUNCE(address, 2, read, false); }
void __tsan_read4(void* address) { ANNOUNCE_READ(address, 4); }
void __tsan_read8(void* address) { ANNOUNCE_READ(address, 8); }
void __tsan_read16(void* address) { ANNOUNCE_READ(address, 16); }

void __tsan_read_range(void* address, std::size_t bytes) { ANNOUNCE(address, bytes, read, false); }
void __tsan_write_range(void* address, std::size_t bytes) { ANNOUNCE(address, bytes, write, false); }
void __tsan_vptr_update(void** address, void*) { ANNOUNCE(address, sizeof(void*), write, false); }
void __tsan_vptr_read(void** address) { ANNOUNCE(address, sizeof(void*), read, false); }
void __tsan_func_entry(void* caller) { Machine::current().called(PC, reinterpret_cast<std::uintptr_t>(caller), CALLER_FRAME); }
void __tsan_func_exit() { Machine::current().returned(); }
void __tsan_init() {}

// Clang checks the alignment that __builtin_assume_aligned promises, GCC does not. Both check the access itself.
void __ubsan_handle_alignment_assumption(const void*, std::uintptr_t, std::uintptr_t, std::uintptr_t) {}

void __sanitizer_cov_trace_pc() { Machine::current().edge(PC); }

void __ubsan_handle_out_of_bounds(const OutOfBoundsData* data, std::uintptr_t index) {
  const char* array = data->array->name;
  const tilelab::simt::Subscripted what{index_value(*data->index, index), bound_of(array), data->location.column,
                                        inner_dimensions_of(array)};
  Machine::current().index_outside(what, SITE);
}

// Processors differ: x86-64 raises a signal, 64-bit ARM returns 0. This is called only if the divisor is zero.
void __ubsan_handle_divrem_overflow(const void*, std::uintptr_t, std::uintptr_t) {
  Machine::current().trap("divides an integer by zero", PC);
}

// The compilers say in different lines where they call this, but both know where the function's name stands.
void __ubsan_handle_missing_return(const MissingReturnData* data) {
  Machine::current().trap("comes to the end of a function that has to return a value, and has met no `return`: its caller gets anything",
                          PC, static_cast<int>(data->location.line));
}

void __ubsan_handle_type_mismatch_v1(const TypeMismatchData* data, std::uintptr_t address) {
  Machine::current().misaligned(address, std::size_t{1} << data->log2_alignment, SITE);
}

}  // extern "C"

// Announces what a compiler forgot to, and checks where a call through a pointer would go: the builder proves on the machine code which
// accesses nothing announces, and has these called before them. They stand in the middle of other code, so they leave every register and
// the flags as they are.
//
// %rdi or x0 holds the address, %rsi or x1 the number of bytes (of no meaning for a call). The caller has saved those two, on ARM x30 as
// well, in its last 16 (x86-64) or 32 bytes of stack.
namespace {
constexpr int kind_write = 1, kind_call = 2;
constexpr std::size_t widest_access = 16;  // longer ones go in pieces, as a copy's do
}  // namespace

// `link`: the frame of the function below, which holds its caller's frame and the place to return to; `stack_pointer`: the
// submission's, when the access happens.
extern "C" void tilelab_unseen(std::uintptr_t address, std::size_t bytes, int kind, const std::uintptr_t* link,
                               std::uintptr_t stack_pointer) {
  Machine& machine = Machine::current();
  const tilelab::simt::CallSite site{link[1], link[0]};
  if (kind == kind_call) return machine.check_target(address, site);
  const bool writes = kind == kind_write;
  for (std::size_t at = 0; at < bytes; at += widest_access) {
    const std::size_t size = bytes - at < widest_access ? bytes - at : widest_access;
    if (writes && machine.refuses_below(stack_pointer, address + at, site)) return;
    machine.access(address + at, size, writes ? AccessKind::write : AccessKind::read, false, site);
  }
}

#if defined(__x86_64__)
#define TILELAB_UNSEEN(name, kind)                                                                                             \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name                                                            \
      ":\n"                                                                                                                    \
      "  pushq %rbp\n  movq %rsp, %rbp\n  pushfq\n  cld\n"                                                                     \
      "  pushq %rax\n  pushq %rcx\n  pushq %rdx\n  pushq %r8\n  pushq %r9\n  pushq %r10\n  pushq %r11\n"                       \
      "  subq $256, %rsp\n  andq $-16, %rsp\n"                                                                                 \
      "  movaps %xmm0, 0(%rsp)\n  movaps %xmm1, 16(%rsp)\n  movaps %xmm2, 32(%rsp)\n  movaps %xmm3, 48(%rsp)\n"                \
      "  movaps %xmm4, 64(%rsp)\n  movaps %xmm5, 80(%rsp)\n  movaps %xmm6, 96(%rsp)\n  movaps %xmm7, 112(%rsp)\n"              \
      "  movaps %xmm8, 128(%rsp)\n  movaps %xmm9, 144(%rsp)\n  movaps %xmm10, 160(%rsp)\n  movaps %xmm11, 176(%rsp)\n"         \
      "  movaps %xmm12, 192(%rsp)\n  movaps %xmm13, 208(%rsp)\n  movaps %xmm14, 224(%rsp)\n  movaps %xmm15, 240(%rsp)\n"       \
      "  movl $" #kind                                                                                                         \
      ", %edx\n  movq %rbp, %rcx\n  leaq 32(%rbp), %r8\n  call tilelab_unseen\n"                                               \
      "  movaps 0(%rsp), %xmm0\n  movaps 16(%rsp), %xmm1\n  movaps 32(%rsp), %xmm2\n  movaps 48(%rsp), %xmm3\n"                \
      "  movaps 64(%rsp), %xmm4\n  movaps 80(%rsp), %xmm5\n  movaps 96(%rsp), %xmm6\n  movaps 112(%rsp), %xmm7\n"              \
      "  movaps 128(%rsp), %xmm8\n  movaps 144(%rsp), %xmm9\n  movaps 160(%rsp), %xmm10\n  movaps 176(%rsp), %xmm11\n"         \
      "  movaps 192(%rsp), %xmm12\n  movaps 208(%rsp), %xmm13\n  movaps 224(%rsp), %xmm14\n  movaps 240(%rsp), %xmm15\n"       \
      "  leaq -64(%rbp), %rsp\n"                                                                                               \
      "  popq %r11\n  popq %r10\n  popq %r9\n  popq %r8\n  popq %rdx\n  popq %rcx\n  popq %rax\n  popfq\n  popq %rbp\n  ret\n" \
      ".size " #name ", .-" #name "\n")
#elif defined(__aarch64__)
#define TILELAB_UNSEEN(name, kind)                                                                                       \
  asm(".text\n.balign 4\n.globl " #name "\n.type " #name ", %function\n" #name                                           \
      ":\n"                                                                                                              \
      "  stp x29, x30, [sp, #-176]!\n  mov x29, sp\n"                                                                    \
      "  stp x2, x3, [sp, #16]\n  stp x4, x5, [sp, #32]\n  stp x6, x7, [sp, #48]\n  stp x8, x9, [sp, #64]\n"             \
      "  stp x10, x11, [sp, #80]\n  stp x12, x13, [sp, #96]\n  stp x14, x15, [sp, #112]\n  stp x16, x17, [sp, #128]\n"   \
      "  mrs x2, nzcv\n  stp x18, x2, [sp, #144]\n  sub sp, sp, #512\n"                                                  \
      "  stp q0, q1, [sp]\n  stp q2, q3, [sp, #32]\n  stp q4, q5, [sp, #64]\n  stp q6, q7, [sp, #96]\n"                  \
      "  stp q8, q9, [sp, #128]\n  stp q10, q11, [sp, #160]\n  stp q12, q13, [sp, #192]\n  stp q14, q15, [sp, #224]\n"   \
      "  stp q16, q17, [sp, #256]\n  stp q18, q19, [sp, #288]\n  stp q20, q21, [sp, #320]\n  stp q22, q23, [sp, #352]\n" \
      "  stp q24, q25, [sp, #384]\n  stp q26, q27, [sp, #416]\n  stp q28, q29, [sp, #448]\n  stp q30, q31, [sp, #480]\n" \
      "  mov w2, #" #kind                                                                                                \
      "\n  mov x3, x29\n  add x4, x29, #208\n  bl tilelab_unseen\n"                                                      \
      "  ldp q0, q1, [sp]\n  ldp q2, q3, [sp, #32]\n  ldp q4, q5, [sp, #64]\n  ldp q6, q7, [sp, #96]\n"                  \
      "  ldp q8, q9, [sp, #128]\n  ldp q10, q11, [sp, #160]\n  ldp q12, q13, [sp, #192]\n  ldp q14, q15, [sp, #224]\n"   \
      "  ldp q16, q17, [sp, #256]\n  ldp q18, q19, [sp, #288]\n  ldp q20, q21, [sp, #320]\n  ldp q22, q23, [sp, #352]\n" \
      "  ldp q24, q25, [sp, #384]\n  ldp q26, q27, [sp, #416]\n  ldp q28, q29, [sp, #448]\n  ldp q30, q31, [sp, #480]\n" \
      "  add sp, sp, #512\n  ldp x18, x2, [sp, #144]\n  msr nzcv, x2\n"                                                  \
      "  ldp x2, x3, [sp, #16]\n  ldp x4, x5, [sp, #32]\n  ldp x6, x7, [sp, #48]\n  ldp x8, x9, [sp, #64]\n"             \
      "  ldp x10, x11, [sp, #80]\n  ldp x12, x13, [sp, #96]\n  ldp x14, x15, [sp, #112]\n  ldp x16, x17, [sp, #128]\n"   \
      "  ldp x29, x30, [sp], #176\n  ret\n"                                                                              \
      ".size " #name ", .-" #name "\n")
#endif
TILELAB_UNSEEN(tilelab_unseen_read, 0);
TILELAB_UNSEEN(tilelab_unseen_write, 1);
TILELAB_UNSEEN(tilelab_unseen_call, 2);
