// Fills registers first, then the stack. Compiled with frame pointers, so that the machine knows where the kit's frames begin.
#include "runner/kernel_call.hpp"

#include <bit>
#include <cstddef>
#include <cstring>
#include <new>
#include <stdexcept>

#include "executor/machine/machine.hpp"

namespace tilelab {

KernelCall::KernelCall(std::uintptr_t kernel, const std::vector<protocol::Argument>& arguments,
                       const std::vector<std::uintptr_t>& addresses, std::size_t argument_bytes)
    : kernel_(kernel) {
  std::vector<std::uint64_t> address_of(arguments.size());
  std::size_t buffers = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool is_buffer = arguments[i].role != protocol::Role::scalar && arguments[i].role != protocol::Role::object;
    if (is_buffer) address_of[i] = addresses.at(buffers++);
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const protocol::Argument& argument = arguments[i];
    if (argument.hidden) continue;
    if (argument.role == protocol::Role::object) {
      std::vector<std::uint64_t> words = argument.words;
      for (const protocol::PointerAt& one : argument.pointers) words.at(one.offset / 8) = address_of.at(one.argument);
      pass(argument, words);
    } else if (argument.role != protocol::Role::scalar) {
      pass_integer(address_of[i]);
    } else if (argument.element == "float" || argument.element == "double") {
      pass_floating(std::bit_cast<double>(argument.bits));
    } else {
      pass_integer(argument.bits);
    }
  }
  is_largest_ = std::max(stack_used_, copies_used_) > large_slots || argument_bytes > large_slots * sizeof(std::uint64_t);
  is_large_ = stack_used_ > stack_slots || argument_bytes > stack_slots * sizeof(std::uint64_t) || references_used_ != 0;
#if defined(__aarch64__)
  const bool fits = stack_used_ <= stack_slots && argument_bytes <= stack_slots * sizeof(std::uint64_t);
#else
  const bool fits = argument_bytes <= sizeof stack_;
#endif
  if (!fits) throw std::invalid_argument("the kernel takes more arguments than the runner can pass");
}

void KernelCall::push(std::uint64_t bits) {
  if (stack_used_ == most_slots) throw std::invalid_argument("the kernel takes more arguments than the runner can pass");
  stack_[stack_used_++] = bits;
}

void KernelCall::pass_integer(std::uint64_t bits) {
  if (integers_used_ < integer_registers)
    integers_[integers_used_++] = bits;
  else
    push(bits);
}

void KernelCall::pass_floating(double bits) {
  if (floating_used_ < floating_registers)
    floating_[floating_used_++] = bits;
  else
    push(std::bit_cast<std::uint64_t>(bits));
}

// An object never lies partly in registers and partly on the stack.
void KernelCall::pass(const protocol::Argument& object, const std::vector<std::uint64_t>& words) {
  using protocol::Passing;
  if (object.passing == Passing::reference) {
    if (copies_used_ + words.size() > most_slots) throw std::invalid_argument("the kernel takes more arguments than the runner can pass");
    const bool in_register = integers_used_ < integer_registers;
    references_[references_used_++] = {copies_used_, in_register, in_register ? integers_used_ : stack_used_};
    for (const std::uint64_t word : words) copies_[copies_used_++] = word;
    copies_used_ += copies_used_ % 2;  // 16 bytes: the strictest alignment that an object passed by value may have
    return pass_integer(0);
  }
  std::size_t integers = 0, floating = 0;
  for (const protocol::Piece& piece : object.pieces) ++(piece.floating ? floating : integers);
  const bool fits = integers <= integer_registers - integers_used_ && floating <= floating_registers - floating_used_;
  if (object.passing == Passing::registers && fits) {
    for (const protocol::Piece& piece : object.pieces) {
      std::uint64_t bits = 0;
      if (piece.bytes > sizeof bits || piece.offset + piece.bytes > words.size() * sizeof bits)
        throw std::invalid_argument("a part of an object lies outside it");
      std::memcpy(&bits, reinterpret_cast<const char*>(words.data()) + piece.offset, piece.bytes);
      if (piece.floating)
        floating_[floating_used_++] = std::bit_cast<double>(bits);
      else
        integers_[integers_used_++] = bits;
    }
    return;
  }
  if (object.passing == Passing::registers && object.pieces.empty()) return;  // an object of no members
#if defined(__aarch64__)
  (floating != 0 ? floating_used_ : integers_used_) = floating != 0 ? floating_registers : integer_registers;
#endif
  if (object.alignment > 8 && stack_used_ % 2 != 0) push(0);
  for (const std::uint64_t word : words) push(word);
}

void KernelCall::operator()() const {
  if (is_largest_) return call_with<most_slots>();
  if (is_large_) return call_with<large_slots>();
  call_with<stack_slots>();
}

// With so many words on the stack, and as many for objects that are passed by reference. All belong to the kernel: it may write there.
template <std::size_t slots>
[[gnu::noinline]] void KernelCall::call_with() const {
  using U = std::uint64_t;
  using D = double;
  struct Slots {
    U words[slots];
  };
  alignas(16) U copies[slots];
  std::memcpy(copies, copies_, copies_used_ * sizeof(U));
  U i[integer_registers];
  std::memcpy(i, integers_, sizeof i);
  Slots s;
  std::memcpy(s.words, stack_, sizeof s);
  for (std::size_t n = 0; n < references_used_; ++n) {
    const Reference& one = references_[n];
    (one.in_register ? i : s.words)[one.place] = reinterpret_cast<U>(copies + one.word);
  }
  const auto at = reinterpret_cast<std::uintptr_t>(copies);
  simt::Machine::current().entered_kernel(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), {at, at + copies_used_ * sizeof(U)},
                                          slots == stack_slots ? stack_used_ * sizeof(U) : sizeof s);
  const auto& d = floating_;
#if defined(__aarch64__)
  using Kernel = void (*)(U, U, U, U, U, U, U, U, D, D, D, D, D, D, D, D, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U, U);
  reinterpret_cast<Kernel>(kernel_)(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7],
                                    s.words[0], s.words[1], s.words[2], s.words[3], s.words[4], s.words[5], s.words[6], s.words[7],
                                    s.words[8], s.words[9], s.words[10], s.words[11], s.words[12], s.words[13], s.words[14], s.words[15]);
#else
  using Kernel = void (*)(U, U, U, U, U, U, D, D, D, D, D, D, D, D, Slots);
  reinterpret_cast<Kernel>(kernel_)(i[0], i[1], i[2], i[3], i[4], i[5], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7], s);
#endif
  simt::distrust_registers();
}

protocol::LaunchConfig call_launch(std::uintptr_t address, const std::vector<int>& arguments) {
  // The same layout as LaunchConfig of tilelab/device.cuh. It is larger than two registers, so it is returned through memory.
  struct Answer {
    unsigned grid[3], block[3];
    std::size_t shared_bytes;
  };
  using Launch = Answer (*)(int, int, int, int, int);
  int values[5] = {};
  for (std::size_t n = 0; n < arguments.size() && n < 5; ++n) values[n] = arguments[n];
  // The submission writes its answer directly into this object. The answer is never copied.
  alignas(Answer) std::byte storage[sizeof(Answer)];
  const auto at = reinterpret_cast<std::uintptr_t>(storage);
  simt::Machine::current().entered_kernel(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), {at, at + sizeof storage});
  const Answer& answer = *new (storage) Answer(reinterpret_cast<Launch>(address)(values[0], values[1], values[2], values[3], values[4]));
  simt::distrust_registers();
  return {{answer.grid[0], answer.grid[1], answer.grid[2]}, {answer.block[0], answer.block[1], answer.block[2]}, answer.shared_bytes};
}

}  // namespace tilelab
