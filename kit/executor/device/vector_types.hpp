// CUDA's built-in vector types and dim3, laid out and aligned as CUDA's vector_types.h documents them; and the type of a graph's condition.
#pragma once

// Constructors and make_ functions belong to the kit, not to the student, so they announce nothing.
#if defined __clang__
#define TILELAB_QUIET __attribute__((no_sanitize("thread", "undefined", "coverage")))
#else
#define TILELAB_QUIET __attribute__((no_sanitize_thread, no_sanitize_undefined, no_sanitize_coverage))
#endif

// What stands behind a function's parameters is its definition, for the files of device_impl/ that define these macros. For everybody else
// the row is a declaration, so nothing of it is compiled into a submission. TILELAB_IS: what the function answers, computed of its
// arguments alone, which host code has as well. TILELAB_DOES: the statements of a function that knows the launch.
#if !defined(TILELAB_IS)
#define TILELAB_IS(...)
#endif
#if !defined(TILELAB_DOES)
#define TILELAB_DOES(...)
#endif

inline namespace cuda_on_cpu {

#define TILELAB_VECTORS(name, Number, of_two, of_four)                                            \
  struct name##1 { Number x; };                                                                   \
  struct alignas(of_two) name##2 { Number x, y; };                                                \
  struct name##3 { Number x, y, z; };                                                             \
  struct alignas(of_four) name##4 { Number x, y, z, w; };                                         \
  TILELAB_QUIET inline name##1 make_##name##1(Number x) { return {x}; }                           \
  TILELAB_QUIET inline name##2 make_##name##2(Number x, Number y) { return {x, y}; }              \
  TILELAB_QUIET inline name##3 make_##name##3(Number x, Number y, Number z) { return {x, y, z}; } \
  TILELAB_QUIET inline name##4 make_##name##4(Number x, Number y, Number z, Number w) { return {x, y, z, w}; }
// The alignment of a pair and of four.
TILELAB_VECTORS(char, signed char, 2, 4)
TILELAB_VECTORS(uchar, unsigned char, 2, 4)
TILELAB_VECTORS(short, short, 4, 8)
TILELAB_VECTORS(ushort, unsigned short, 4, 8)
TILELAB_VECTORS(int, int, 8, 16)
TILELAB_VECTORS(uint, unsigned int, 8, 16)
TILELAB_VECTORS(long, long, 16, 16)
TILELAB_VECTORS(ulong, unsigned long, 16, 16)
TILELAB_VECTORS(longlong, long long, 16, 16)
TILELAB_VECTORS(ulonglong, unsigned long long, 16, 16)
TILELAB_VECTORS(float, float, 8, 16)
TILELAB_VECTORS(double, double, 16, 16)
#undef TILELAB_VECTORS

struct dim3 {
  unsigned int x = 1, y = 1, z = 1;
  TILELAB_QUIET constexpr dim3(unsigned int x_ = 1, unsigned int y_ = 1, unsigned int z_ = 1) : x(x_), y(y_), z(z_) {}
  TILELAB_QUIET constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  TILELAB_QUIET constexpr operator uint3() const { return {x, y, z}; }
};

}  // namespace cuda_on_cpu
