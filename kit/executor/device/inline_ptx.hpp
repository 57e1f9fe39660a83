// What the grader makes of inline PTX calls CUDA's functions, and these where no function of CUDA C++ does the same. A register is its
// bits, whatever its type, in an unsigned long long. No submission can name this namespace.
//
// The words of the instructions are PTX's. `space`: 0 generic, 1 global, 2 shared, 3 local, 4 constant.
#pragma once

#include <type_traits>

#include "vector_types.hpp"

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

using bits = unsigned long long;

// What an asm statement's operand holds, and how a result is given to one.
#define TILELAB_OPERAND(letter, width, fits)                                                                               \
  template <typename T>                                                                                                    \
  bits in_##letter(T value) {                                                                                              \
    static_assert(sizeof(T) == width && (fits), "the type of this operand does not fit the constraint \"" #letter "\"");   \
    return bits_of(value);                                                                                                 \
  }                                                                                                                        \
  struct out_##letter {                                                                                                    \
    bits value;                                                                                                            \
    template <typename T>                                                                                                  \
    operator T() const {                                                                                                   \
      static_assert(sizeof(T) == width && (fits), "the type of this operand does not fit the constraint \"" #letter "\""); \
      return value_of<T>(value);                                                                                           \
    }                                                                                                                      \
  };
template <typename T>
bits bits_of(T value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<bits>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return __builtin_bit_cast(std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>, value);
  } else {
    return static_cast<bits>(value) & (~0ull >> (64 - 8 * sizeof(T)));
  }
}
template <typename T>
T value_of(bits value) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(value);
  } else if constexpr (std::is_floating_point_v<T>) {
    return __builtin_bit_cast(T, static_cast<std::conditional_t<sizeof(T) == 8, unsigned long long, unsigned>>(value));
  } else {
    return static_cast<T>(value);
  }
}
TILELAB_OPERAND(h, 2, std::is_integral_v<T>)
TILELAB_OPERAND(r, 4, std::is_integral_v<T> || std::is_enum_v<T>)
TILELAB_OPERAND(l, 8, std::is_integral_v<T> || std::is_pointer_v<T> || std::is_enum_v<T>)
TILELAB_OPERAND(f, 4, std::is_floating_point_v<T>)
TILELAB_OPERAND(d, 8, std::is_floating_point_v<T>)
#undef TILELAB_OPERAND

// Memory. An access to a space that holds no such address is out of bounds.
bits load(int bytes, int space, bool is_volatile, bits address);  // of 1 to 8 bytes
uint4 load_16(int space, bool is_volatile, bits address);
void store(int bytes, int space, bool is_volatile, bits address, bits value);
void store_16(int space, bool is_volatile, bits address, uint4 value);
void* place(int space, bits address, unsigned size, int kind);  // of a function of CUDA's that reads (0), writes (1) or updates (2) it

// Of the thread and its warp.
bits special_register(int which);
bits shuffle(int mode, bits value, bits lane, bits clamp, bits mask);  // bit 32: the predicate
bits match_all(bits value, bits mask);

// Arithmetic that C++ has no operator for.
bits shift_left(bits value, bits count, int width);
bits shift_right(bits value, bits count, int width, bool is_signed);
bits multiply_high(bits a, bits b, int width, bool is_signed);
bits extract_field(bits value, bits position, bits length, int width, bool is_signed);
bits insert_field(bits value, bits into, bits position, bits length, int width);
bits logic_3(bits a, bits b, bits c, int table);
bits find_leading(bits value, int width, bool is_signed, bool as_shift);
bits divide(bits a, bits b, int width, bool is_signed);
bits remainder(bits a, bits b, int width, bool is_signed);
// Of the bytes of words; or what they add up to, and c.
bits byte_differences(bits a, bits b, bits c, bool adds);
bits float_operation(int operation, int rounding, bool flush, bits a, bits b, bits c);
bits double_operation(int operation, int rounding, bits a, bits b, bits c);
bits half_operation(int operation, bool bfloat, bits a, bits b, bits c);
bits convert(int from, int to, int rounding, bool saturate, bits value);
bool compare(int type, int relation, bits a, bits b);

// Matrices that a warp holds in its registers, laid out as PTX's documentation says.
uint4 load_matrices(int count, bool transposed, bits address);
uint4 multiply_matrices(int shape, int operand, int sum, uint4 a, bits b0, bits b1, uint4 c);

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
