// Matrices in the registers of a warp. Replaces CUDA's header of this name, without the experimental types of less than a byte. Which
// element a lane holds is as on a GPU for sums of 16 x 16; CUDA promises nothing about it.
#pragma once

#include "cuda_on_cpu.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <type_traits>

namespace nvcuda {
namespace wmma {

struct matrix_a;
struct matrix_b;
struct accumulator;
struct row_major;
struct col_major;
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32;
}

// Which type of the kit's table an element is.
template <int Number, typename T>
struct Element {
  static constexpr int number = Number;
  using type = T;
};
template <typename T>
struct element_of;
#define TILELAB_ELEMENT(Name, number, T) \
  template <>                            \
  struct element_of<Name> : Element<number, T> {};
TILELAB_ELEMENT(__half, 0, __half)
TILELAB_ELEMENT(__nv_bfloat16, 1, __nv_bfloat16)
TILELAB_ELEMENT(precision::tf32, 2, float)
TILELAB_ELEMENT(signed char, 3, signed char)
TILELAB_ELEMENT(unsigned char, 4, unsigned char)
TILELAB_ELEMENT(float, 5, float)
TILELAB_ELEMENT(int, 6, int)
TILELAB_ELEMENT(double, 7, double)
#undef TILELAB_ELEMENT

// How many elements a lane holds: a half-precision operand has room for 16, whatever its shape.
template <typename Use, int m, int n, int k, typename T>
constexpr int room() {
  if constexpr (std::is_same_v<Use, accumulator>)
    return m * n / 32;
  else if constexpr (std::is_same_v<T, __half>)
    return 16;
  else
    return (std::is_same_v<Use, matrix_a> ? m : n) * k / 32;
}

template <int m, int n, int k, typename T>
constexpr bool has_shape() {
  if constexpr (std::is_same_v<T, double>)
    return m == 8 && n == 8 && k == 4;
  else if constexpr (std::is_same_v<T, precision::tf32>)
    return m == 16 && n == 16 && k == 8;
  else
    return ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32)) &&
           (k == 16 || (k == 8 && m == 16 && std::is_same_v<T, float>));
}

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment {
  static_assert(has_shape<m, n, k, T>(), "there are no fragments of this shape and type");

 public:
  using element_type = typename element_of<T>::type;
  using storage_element_type = element_type;
  static constexpr int num_storage_elements = room<Use, m, n, k, T>();
  static constexpr int num_elements = num_storage_elements;
  element_type x[num_elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout, typename Value>
inline void fill_fragment(fragment<Use, m, n, k, T, Layout>& into, const Value& value) {
  for (int i = 0; i < into.num_elements; ++i) into.x[i] = static_cast<typename element_of<T>::type>(value);
}

template <typename Use, int m, int n, int k, typename T, typename Layout, typename Memory>
inline void load_matrix_sync(fragment<Use, m, n, k, T, Layout>& into, const Memory* from, unsigned stride) {
  static_assert(!std::is_void_v<Layout>, "a sum has no layout: name it");
  static_assert(std::is_same_v<Memory, typename element_of<T>::type>, "the matrix has other elements than the fragment");
  constexpr int use = std::is_same_v<Use, matrix_a> ? 0 : 1;
  ::wmma_on_cpu::load(into.x, into.num_elements, use, {m, n, k}, element_of<T>::number, from, stride, std::is_same_v<Layout, col_major>);
}

template <int m, int n, int k, typename T>
inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& into, const T* from, unsigned stride, layout_t layout) {
  ::wmma_on_cpu::load(into.x, into.num_elements, 2, {m, n, k}, element_of<T>::number, from, stride, layout == mem_col_major);
}

template <int m, int n, int k, typename T>
inline void store_matrix_sync(T* to, const fragment<accumulator, m, n, k, T>& from, unsigned stride, layout_t layout) {
  ::wmma_on_cpu::store(from.x, from.num_elements, {m, n, k}, element_of<T>::number, to, stride, layout == mem_col_major);
}

template <int m, int n, int k, typename T, typename LayoutA, typename LayoutB, typename Result, typename Sum>
inline void mma_sync(fragment<accumulator, m, n, k, Result>& result, const fragment<matrix_a, m, n, k, T, LayoutA>& left,
                     const fragment<matrix_b, m, n, k, T, LayoutB>& right, const fragment<accumulator, m, n, k, Sum>& sum,
                     bool saturates = false) {
  ::wmma_on_cpu::multiply(result.x, left.x, right.x, sum.x, {m, n, k}, element_of<T>::number, element_of<Result>::number,
                          element_of<Sum>::number, saturates);
}

inline float __float_to_tf32(float value) { return ::wmma_on_cpu::to_tf32(value); }

}  // namespace wmma
}  // namespace nvcuda
