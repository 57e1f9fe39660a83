// Copies that are given the address of an object that keeps its elements elsewhere, as `&v` of a std::vector: the compiler takes it, as any
// pointer is one to void. Such a copy is told, and not done. A std::array holds its elements itself and is memory like any other.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "api_marks.hpp"
#include "runtime_copies.hpp"

// Notes the mistake. Where the object lies, its own size, and whether the copy reads it.
TILELAB_CUDA_CALL tilelab_copy_of_container(const void* object, std::size_t object_bytes, std::size_t bytes, bool reads);

namespace tilelab_host {

// What allocates its elements: a vector, a string. An author's own class with data() may be meant to go to the device as it is.
template <typename T, typename = void, typename = void>
struct IsContainer : std::false_type {
  static constexpr std::size_t bytes = 0;
};
template <typename T>
struct IsContainer<T, decltype(static_cast<void>(std::declval<const T&>().data())),
                   decltype(static_cast<void>(std::declval<typename T::allocator_type>()))> : std::true_type {
  static constexpr std::size_t bytes = sizeof(T);
};

template <typename To, typename From>
using IfContainer = typename std::enable_if<IsContainer<To>::value || IsContainer<From>::value>::type;

template <typename To, typename From>
__attribute__((always_inline)) inline cudaError_t refuse_container(To* to, const From* from, std::size_t bytes) {
  return IsContainer<From>::value ? tilelab_copy_of_container(static_cast<const void*>(from), IsContainer<From>::bytes, bytes, true)
                                  : tilelab_copy_of_container(static_cast<const void*>(to), IsContainer<To>::bytes, bytes, false);
}

}  // namespace tilelab_host

template <typename To, typename From, typename = tilelab_host::IfContainer<To, From>>
TILELAB_CUDA_FORM cudaMemcpy(To* to, const From* from, std::size_t bytes, cudaMemcpyKind) {
  return tilelab_host::refuse_container(to, from, bytes);
}
template <typename To, typename From, typename = tilelab_host::IfContainer<To, From>>
TILELAB_CUDA_FORM cudaMemcpyAsync(To* to, const From* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t = nullptr) {
  return tilelab_host::refuse_container(to, from, bytes);
}
