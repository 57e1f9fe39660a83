// The functions that the compiler's instrumentation calls. We implement the callbacks of the thread sanitizer, the
// undefined-behaviour sanitizer and coverage ourselves, and do not link their runtimes. Linux's KCSAN uses the same interface.
// Compiled with frame pointers: a callback finds its caller's frame through its own.
#include <cstddef>
#include <cstdint>

#include "executor/machine/machine.hpp"

using namespace tilelab::simt;

#define PC reinterpret_cast<std::uintptr_t>(__builtin_return_address(0))
#define CALLER_FRAME (*static_cast<const std::uintptr_t*>(__builtin_frame_address(0)))
#define SITE \
  CallSite { PC, CALLER_FRAME }
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
  const Subscripted what{index_value(*data->index, index), bound_of(array), data->location.column, inner_dimensions_of(array)};
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
  const CallSite site{link[1], link[0]};
  if (kind == kind_call) return machine.check_target(address, site);
  const bool writes = kind == kind_write;
  for (std::size_t at = 0; at < bytes; at += widest_access) {
    const std::size_t size = bytes - at < widest_access ? bytes - at : widest_access;
    if (writes && machine.refuses_below(stack_pointer, address + at, site)) return;
    machine.access(address + at, size, writes ? AccessKind::write : AccessKind::read, false, site);
  }
}

// The instruction for each of what \n stands for.
#define EACH(all, instruction) "  .irp n, " all "\n  " instruction "\n  .endr\n"
#define TO_15 "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"
#if defined(__x86_64__)
#define TILELAB_UNSEEN(name, kind) \
  asm(".text\n.globl " #name "\n.type " #name ", @function\n" #name                                       \
      ":\n"                                                                                               \
      "  pushq %rbp\n  movq %rsp, %rbp\n  pushfq\n  cld\n" EACH("rax,rcx,rdx,r8,r9,r10,r11", "pushq %\\n") \
      "  subq $256, %rsp\n  andq $-16, %rsp\n" EACH(TO_15, "movaps %xmm\\n, 16*\\n(%rsp)")                \
      "  movl $" #kind ", %edx\n  movq %rbp, %rcx\n  leaq 32(%rbp), %r8\n  call tilelab_unseen\n"         \
      EACH(TO_15, "movaps 16*\\n(%rsp), %xmm\\n")                                                         \
      "  leaq -64(%rbp), %rsp\n" EACH("r11,r10,r9,r8,rdx,rcx,rax", "popq %\\n")                           \
      "  popfq\n  popq %rbp\n  ret\n.size " #name ", .-" #name "\n")
#elif defined(__aarch64__)
#define TO_18 "2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18"
#define TO_31 TO_15 ",16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31"
#define TILELAB_UNSEEN(name, kind) \
  asm(".text\n.balign 4\n.globl " #name "\n.type " #name ", %function\n" #name                            \
      ":\n"                                                                                               \
      "  stp x29, x30, [sp, #-176]!\n  mov x29, sp\n" EACH(TO_18, "str x\\n, [sp, #8*\\n]")                \
      "  mrs x2, nzcv\n  str x2, [sp, #152]\n  sub sp, sp, #512\n" EACH(TO_31, "str q\\n, [sp, #16*\\n]")  \
      "  mov w2, #" #kind "\n  mov x3, x29\n  add x4, x29, #208\n  bl tilelab_unseen\n"                   \
      EACH(TO_31, "ldr q\\n, [sp, #16*\\n]")                                                              \
      "  add sp, sp, #512\n  ldr x2, [sp, #152]\n  msr nzcv, x2\n" EACH(TO_18, "ldr x\\n, [sp, #8*\\n]")   \
      "  ldp x29, x30, [sp], #176\n  ret\n.size " #name ", .-" #name "\n")
#endif
TILELAB_UNSEEN(tilelab_unseen_read, 0);
TILELAB_UNSEEN(tilelab_unseen_write, 1);
TILELAB_UNSEEN(tilelab_unseen_call, 2);
