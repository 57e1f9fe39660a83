// How the templates of texture_functions.hpp reach the executor: by a few functions, with numbers that say which
// type and how many dimensions are meant. No file of a course names anything in here but the two types of handles.
#pragma once

#include <type_traits>

#include "vector_types.hpp"

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;

inline namespace cuda_on_cpu {
namespace textures_on_cpu {

// How an object is used: the number of its dimensions, and what is asked of it.
inline constexpr int of_1d = 1, of_2d = 2, of_3d = 3, layered = 4, cube = 8, gather = 16, gradient = 128;
// What a type in angle brackets consists of: 1,000 for floating-point numbers, 2,000 and 3,000 for integers, with and without a sign;
// 10 for each byte of a number; 1 for each number. 0: no texel has this type.
template <typename T>
inline constexpr int format = 0;

// What a fetch brings, whatever the type: whole numbers of 32 bits are exact.
double4 fetch_four(cudaTextureObject_t object, int how, int wanted, float x, float y, float z, int layer, float level);
double4 fetch_four_by_number(cudaTextureObject_t object, int wanted, int x);

#define TILELAB_TEXEL(Type, Family, bytes)                               \
  template <>                                                            \
  inline constexpr int format<Type> = Family * 1000 + bytes * 10 + 1;    \
  template <>                                                            \
  inline constexpr int format<Type##1> = Family * 1000 + bytes * 10 + 1; \
  template <>                                                            \
  inline constexpr int format<Type##2> = Family * 1000 + bytes * 10 + 2; \
  template <>                                                            \
  inline constexpr int format<Type##4> = Family * 1000 + bytes * 10 + 4;
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
TILELAB_TEXEL(float, 1, 4)
TILELAB_TEXEL(char, 2, 1)
TILELAB_TEXEL(short, 2, 2)
TILELAB_TEXEL(int, 2, 4)
TILELAB_TEXEL(uchar, 3, 1)
TILELAB_TEXEL(ushort, 3, 2)
TILELAB_TEXEL(uint, 3, 4)
#undef TILELAB_TEXEL
template <>
inline constexpr int format<signed char> = 2011;

template <typename T>
concept Texel = format<T> != 0;
template <typename Number>
Number number_of(double number) {
  if constexpr (static_cast<Number>(0.5) != 0) return static_cast<Number>(number);
  return static_cast<Number>(static_cast<long long>(number));  // one of another sign wraps around
}
// A texel of type T from the four numbers that a fetch brings.
template <typename T>
T texel_of(const double4& four) {
  if constexpr (requires(T texel) { texel.w; }) {
    using Number = decltype(T::x);
    return {number_of<Number>(four.x), number_of<Number>(four.y), number_of<Number>(four.z), number_of<Number>(four.w)};
  } else if constexpr (requires(T texel) { texel.y; }) {
    using Number = decltype(T::x);
    return {number_of<Number>(four.x), number_of<Number>(four.y)};
  } else if constexpr (requires(T texel) { texel.x; }) {
    return {number_of<decltype(T::x)>(four.x)};
  } else {
    return number_of<T>(four.x);
  }
}

template <typename T>
T fetch(cudaTextureObject_t object, int how, float x, float y = 0, float z = 0, int layer = 0, float level = 0) {
  return texel_of<T>(fetch_four(object, how, format<T>, x, y, z, layer, level));
}
template <typename T>
T fetch_by_number(cudaTextureObject_t object, int x) {
  return texel_of<T>(fetch_four_by_number(object, format<T>, x));
}

// Which of the four numbers of each texel is gathered.
inline int component(int number) { return gather + 32 * (number & 3); }

// `what`: `how`, 32 for each boundary mode, 256 for each byte. `rest`: y, and z or the layer in its upper half.
void read_surface(cudaSurfaceObject_t object, int what, int x, unsigned long long rest, void* into);
void write_surface(cudaSurfaceObject_t object, int what, int x, unsigned long long rest, const void* from);

// Surfaces have no format of their own: any of these types may be read from any.
template <typename T, typename... Others>
inline constexpr bool is_one_of = (std::is_same_v<T, Others> || ...);
template <typename T>
concept Stored = Texel<T> || is_one_of<T, long long, unsigned long long, longlong1, ulonglong1, longlong2, ulonglong2>;

inline int used(int how, int mode, unsigned long bytes) { return how + 32 * (mode & 3) + 256 * static_cast<int>(bytes); }
inline unsigned long long both(int y, int z) {
  return static_cast<unsigned int>(y) | static_cast<unsigned long long>(static_cast<unsigned int>(z)) << 32;
}

template <typename T>
T read(cudaSurfaceObject_t object, int how, int mode, int x, int y = 0, int z = 0) {
  T value;
  read_surface(object, used(how, mode, sizeof value), x, both(y, z), &value);
  return value;
}

template <typename T>
void write(T value, cudaSurfaceObject_t object, int how, int mode, int x, int y = 0, int z = 0) {
  write_surface(object, used(how, mode, sizeof value), x, both(y, z), &value);
}

}  // namespace textures_on_cpu
}  // namespace cuda_on_cpu
