// Instructions as compilers write them.
#include "host/library/fault_watch.hpp"

#include <array>
#include <catch2/catch_test_macros.hpp>

namespace {

#if defined(__x86_64__)
TEST_CASE("a locked instruction and an exchange are atomic, a plain move is not", "[atomic_instruction]") {
  using Code = std::array<unsigned char, 16>;
  const auto is_atomic = [](const Code& code) { return tilelab_host::is_atomic_instruction(code.data()); };
  CHECK(is_atomic({0xF0, 0x0F, 0xC1, 0x07}));              // lock xadd %eax, (%rdi)
  CHECK(is_atomic({0xF0, 0x48, 0x0F, 0xB1, 0x17}));        // lock cmpxchg %rdx, (%rdi)
  CHECK(is_atomic({0x66, 0xF0, 0x0F, 0xC1, 0x07}));        // lock xadd %ax, (%rdi)
  CHECK(is_atomic({0x48, 0x87, 0x07}));                    // xchg %rax, (%rdi)
  CHECK(is_atomic({0x86, 0x07}));                          // xchg %al, (%rdi)
  CHECK_FALSE(is_atomic({0x89, 0x07}));                    // mov %eax, (%rdi)
  CHECK_FALSE(is_atomic({0x83, 0x07, 0x05}));              // addl $5, (%rdi)
  CHECK_FALSE(is_atomic({0x66, 0x0F, 0x6F, 0x07}));        // movdqa (%rdi), %xmm0
  CHECK_FALSE(is_atomic({0xF3, 0x48, 0xAB}));              // rep stos
  CHECK_FALSE(is_atomic({0xC7, 0x07, 0xF0, 0, 0, 0x86}));  // movl $…, (%rdi)
}
#elif defined(__aarch64__)
TEST_CASE("exclusive and updating instructions are atomic, plain and ordered ones are not", "[atomic_instruction]") {
  const auto is_atomic = [](std::uint32_t word) {
    return tilelab_host::is_atomic_instruction(reinterpret_cast<const unsigned char*>(&word));
  };
  CHECK(is_atomic(0x885FFC01));        // ldaxr w1, [x0]
  CHECK(is_atomic(0x8802FC01));        // stlxr w2, w1, [x0]
  CHECK(is_atomic(0xB8E10002));        // ldaddal w1, w2, [x0]
  CHECK(is_atomic(0xF8E18002));        // swpal x1, x2, [x0]
  CHECK(is_atomic(0x88E1FC02));        // casal w1, w2, [x0]
  CHECK_FALSE(is_atomic(0x88DFFC01));  // ldar w1, [x0]
  CHECK_FALSE(is_atomic(0x889FFC01));  // stlr w1, [x0]
  CHECK_FALSE(is_atomic(0xB9000001));  // str w1, [x0]
  CHECK_FALSE(is_atomic(0xB9400001));  // ldr w1, [x0]
}
#endif

}  // namespace
