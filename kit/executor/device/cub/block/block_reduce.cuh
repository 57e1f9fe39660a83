// cub::BlockReduce. Replaces CUB's header of this name. Only thread 0 has the result. Each algorithm combines in CUB's order, so sums of
// floats are the same.
#pragma once

#include "cub/lanes.hpp"

#pragma GCC system_header

namespace cub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };

template <typename T, int BLOCK_DIM_X, BlockReduceAlgorithm ALGORITHM = BLOCK_REDUCE_WARP_REDUCTIONS, int BLOCK_DIM_Y = 1,
          int BLOCK_DIM_Z = 1, int /*LEGACY_PTX_ARCH*/ = 0>
class BlockReduce {
  static constexpr int threads = BLOCK_DIM_X * BLOCK_DIM_Y * BLOCK_DIM_Z, warps = (threads + 31) / 32;
  static constexpr bool by_warps = ALGORITHM == BLOCK_REDUCE_WARP_REDUCTIONS;
  static constexpr int width = threads < 32 ? threads : 32;

 public:
  struct TempStorage {
    detail::Slots<T, by_warps ? warps : threads> partials;
  };
  BlockReduce() : partials_(detail::storage_of_block<TempStorage>().partials) {}
  explicit BlockReduce(TempStorage& storage) : partials_(storage.partials) {}

  template <typename Operation>
  T Reduce(T input, Operation operation, int num_valid = threads) {
    if constexpr (by_warps) {
      return by_warp(input, operation, num_valid);
    } else if constexpr (threads <= 32) {
      return detail::Lanes<threads>::reduced(input, operation, num_valid - 1);
    } else {
      if constexpr (ALGORITHM == BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY && threads % 32 == 0)
        if (num_valid == threads) return raked_by_first_warp(input, operation);
      return raked(input, operation, num_valid);
    }
  }
  template <int ITEMS_PER_THREAD, typename Operation>
  T Reduce(T (&inputs)[ITEMS_PER_THREAD], Operation operation) {
    return Reduce(detail::reduced_items(inputs, operation), operation);
  }
  T Sum(T input, int num_valid = threads) { return Reduce(input, cub::Sum(), num_valid); }
  template <int ITEMS_PER_THREAD>
  T Sum(T (&inputs)[ITEMS_PER_THREAD]) {
    return Reduce(inputs, cub::Sum());
  }

 private:
  template <typename Operation>
  T by_warp(T input, Operation operation, int num_valid) {
    const int thread = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z), valid = num_valid - thread / 32 * 32;
    T result = detail::Lanes<width>::reduced(input, operation, (valid < width ? valid : width) - 1);
    if (thread % 32 == 0) partials_[thread / 32] = result;
    __syncthreads();
    if (thread != 0) return result;
    for (int warp = 1; warp < warps && warp * width < num_valid; ++warp) result = operation(result, partials_[warp]);
    return result;
  }

  template <typename Operation>
  T raked(T input, Operation operation, int num_valid) {
    constexpr int segment = (threads + 31) / 32, rakes = (threads + segment - 1) / segment;
    const int thread = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z);
    partials_[thread] = input;
    __syncthreads();
    if (thread >= rakes) return input;
    T result = partials_[thread * segment];
    for (int at = thread * segment + 1; at < (thread + 1) * segment && at < num_valid; ++at) result = operation(result, partials_[at]);
    return detail::Lanes<rakes>::reduced(result, operation, (num_valid + segment - 1) / segment - 1);
  }

  template <typename Operation>
  T raked_by_first_warp(T input, Operation operation) {
    constexpr int segment = warps - 1;
    const int thread = RowMajorTid(BLOCK_DIM_X, BLOCK_DIM_Y, BLOCK_DIM_Z);
    if (thread >= 32) partials_[thread - 32] = input;
    __syncthreads();
    if (thread >= 32) return input;
    for (int at = thread * segment; at < (thread + 1) * segment; ++at) input = operation(input, partials_[at]);
    return detail::Lanes<32>::reduced(input, operation);
  }

  decltype(TempStorage::partials)& partials_;
};

}  // namespace cub
