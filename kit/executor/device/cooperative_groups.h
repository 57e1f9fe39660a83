// Cooperative groups: thread blocks, tiles of a warp, lanes that run together, the grid. Replaces CUDA's header of this name. Clusters
// are missing. Nothing here is announced separately: barriers and shuffles belong to the calling statement.
#pragma once

#include "cuda_on_cpu.hpp"

#include <cfloat>
#include <cstring>
#include <type_traits>
#include <utility>

// As TILELAB_QUIET, for what uses no memory but its own locals: else a shuffle would pass through a dozen callbacks. Here it is a macro of
// a system's header, because the attribute would count as the submission's otherwise.
#pragma GCC system_header
#if defined __clang__
#define TILELAB_GROUP_QUIET __attribute__((no_sanitize("thread", "undefined", "coverage")))
#else
#define TILELAB_GROUP_QUIET __attribute__((no_sanitize_thread, no_sanitize_undefined, no_sanitize_coverage))
#endif

namespace cooperative_groups {

class thread_block {
 public:
  TILELAB_GROUP_QUIET void sync() const { __syncthreads(); }
  TILELAB_GROUP_QUIET static unsigned int rank() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
  TILELAB_GROUP_QUIET unsigned int thread_rank() const { return rank(); }
  TILELAB_GROUP_QUIET unsigned int size() const { return blockDim.x * blockDim.y * blockDim.z; }
  TILELAB_GROUP_QUIET unsigned int num_threads() const { return size(); }
  dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  dim3 group_dim() const { return blockDim; }
  dim3 dim_threads() const { return blockDim; }
};

inline thread_block this_thread_block() { return thread_block(); }

// How a value is shuffled: a number as it is, a struct in words of four bytes.
template <typename T, typename Shuffle>
TILELAB_GROUP_QUIET T by_words(T value, Shuffle shuffle) {
  if constexpr (std::is_arithmetic_v<T>) {
    return shuffle(value);
  } else {
    static_assert(std::is_trivially_copyable_v<T>, "lanes shuffle numbers and plain structs");
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    memcpy(words, &value, sizeof value);
    for (unsigned int& word : words) word = shuffle(word);
    memcpy(&value, words, sizeof value);
    return value;
  }
}

// A block, or a tile whose size the compiler does not know.
class thread_group {
 public:
  thread_group(const thread_block& block) : size_(block.size()), is_block_(true) {}
  thread_group(unsigned int tile_size) : size_(tile_size), is_block_(false) {}
  void sync() const {
    if (is_block_)
      __syncthreads();
    else
      __syncwarp(mask());
  }
  unsigned int thread_rank() const { return thread_block::rank() % size_; }
  unsigned int size() const { return size_; }
  unsigned int num_threads() const { return size_; }

 private:
  unsigned int mask() const { return (size_ == 32 ? 0xFFFFFFFFu : (1u << size_) - 1u) << (thread_block::rank() % 32 / size_ * size_); }

  unsigned int size_;
  bool is_block_;
};

inline thread_group tiled_partition(const thread_group&, unsigned int size) { return thread_group(size); }

// What lanes of one warp do together. `Group` says which they are, and how to number lanes by their ranks.
template <typename Group>
class lanes_of_warp {
 public:
  TILELAB_GROUP_QUIET void sync() const { __syncwarp(self().mask()); }
  TILELAB_GROUP_QUIET int any(int predicate) const { return __any_sync(self().mask(), predicate); }
  TILELAB_GROUP_QUIET int all(int predicate) const { return __all_sync(self().mask(), predicate); }
  TILELAB_GROUP_QUIET unsigned int ballot(int predicate) const { return self().by_rank(__ballot_sync(self().mask(), predicate)); }
  template <typename T>
  unsigned int match_any(T value) const {
    return self().by_rank(__match_any_sync(self().mask(), value));
  }
  template <typename T>
  unsigned int match_all(T value, int& predicate) const {
    int all_equal = 0;
    const unsigned int lanes = __match_all_sync(self().mask(), value, &all_equal);
    predicate = all_equal;
    return self().by_rank(lanes);
  }

 private:
  TILELAB_GROUP_QUIET const Group& self() const { return static_cast<const Group&>(*this); }
};

template <unsigned int Size, typename Parent = void>
class thread_block_tile : public lanes_of_warp<thread_block_tile<Size, Parent>> {
  static_assert(Size >= 1 && Size <= 32 && (Size & (Size - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");

 public:
  thread_block_tile() = default;
  template <typename Other>
  thread_block_tile(const thread_block_tile<Size, Other>&) {}  // accepts any tile that it is a part of
  TILELAB_GROUP_QUIET static unsigned int mask() {
    if constexpr (Size == 32) return 0xFFFFFFFFu;
    return ((1u << (Size % 32)) - 1u) << first();
  }
  TILELAB_GROUP_QUIET static unsigned int by_rank(unsigned int lanes) { return lanes >> first(); }
  operator thread_group() const { return thread_group(Size); }
  TILELAB_GROUP_QUIET unsigned int thread_rank() const { return thread_block::rank() % Size; }
  TILELAB_GROUP_QUIET static constexpr unsigned int size() { return Size; }
  TILELAB_GROUP_QUIET static constexpr unsigned int num_threads() { return Size; }
  TILELAB_GROUP_QUIET unsigned int meta_group_rank() const { return thread_block::rank() / Size; }
  TILELAB_GROUP_QUIET unsigned int meta_group_size() const { return (blockDim.x * blockDim.y * blockDim.z + Size - 1) / Size; }

#define TILELAB_TILE_SHUFFLE(name, Operand)                                                                              \
  template <typename T>                                                                                                  \
  TILELAB_GROUP_QUIET T name(T value, Operand operand) const {                                                           \
    if constexpr (std::is_arithmetic_v<T>) return __##name##_sync(mask(), value, operand, Size);                         \
    return by_words(value, [=](auto word) TILELAB_GROUP_QUIET { return __##name##_sync(mask(), word, operand, Size); }); \
  }
  TILELAB_TILE_SHUFFLE(shfl, int)
  TILELAB_TILE_SHUFFLE(shfl_up, unsigned int)
  TILELAB_TILE_SHUFFLE(shfl_down, unsigned int)
  TILELAB_TILE_SHUFFLE(shfl_xor, int)
#undef TILELAB_TILE_SHUFFLE

 private:
  TILELAB_GROUP_QUIET static unsigned int first() {  // the tile's first lane
    if constexpr (Size == 32) return 0;
    return thread_block::rank() % 32 / Size * Size;
  }
};

template <unsigned int Size, typename Group>
thread_block_tile<Size, Group> tiled_partition(const Group&) {
  return thread_block_tile<Size, Group>();
}

// Threads of one warp that arrived at one place together, numbered from 0 without gaps.
class coalesced_group : public lanes_of_warp<coalesced_group> {
 public:
  unsigned int mask() const { return mask_; }
  unsigned int by_rank(unsigned int lanes) const {
    unsigned int ranks = 0, rank = 0;
    for (unsigned int lane = 0; lane < 32; ++lane) {
      if ((mask_ >> lane & 1u) != 0) ranks |= (lanes >> lane & 1u) << rank++;
    }
    return ranks;
  }
  unsigned int size() const { return static_cast<unsigned int>(__popc(mask_)); }
  unsigned int num_threads() const { return size(); }
  unsigned int thread_rank() const { return static_cast<unsigned int>(__popc(mask_ & ((1u << (thread_block::rank() % 32)) - 1u))); }
  unsigned int meta_group_rank() const { return meta_rank_; }  // of the groups that one group was parted into
  unsigned int meta_group_size() const { return meta_size_; }

  template <typename T>
  T shfl(T value, unsigned int source) const {
    return by_words(value, [=, *this](auto word) { return __shfl_sync(mask_, word, lane_of(source % size())); });
  }
  template <typename T>
  T shfl_up(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, delta <= rank ? rank - delta : rank);
  }
  template <typename T>
  T shfl_down(T value, unsigned int delta) const {
    const unsigned int rank = thread_rank();
    return shfl(value, delta < size() - rank ? rank + delta : rank);
  }

 private:
  friend coalesced_group coalesced_threads();
  friend coalesced_group tiled_partition(const coalesced_group& group, unsigned int size);
  template <typename Group, typename Label>
  friend coalesced_group labeled_partition(const Group& group, Label label);
  template <typename Group>
  friend coalesced_group binary_partition(const Group& group, bool predicate);
  explicit coalesced_group(unsigned int mask, unsigned int meta_rank = 0, unsigned int meta_size = 1)
      : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  int lane_of(unsigned int rank) const { return static_cast<int>(__fns(mask_, 0, static_cast<int>(rank) + 1)); }

  unsigned int mask_, meta_rank_, meta_size_;
};

inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// How a group of lanes is parted into several: by neighbours in rank, of which the last group may be smaller, by a label, or in two. All
// its lanes must take part.
inline coalesced_group tiled_partition(const coalesced_group& group, unsigned int size) {
  const unsigned int first = group.thread_rank() / size * size;
  unsigned int lanes = 0, rank = 0;
  for (unsigned int lane = 0; lane < 32; ++lane) {
    if ((group.mask() >> lane & 1u) == 0) continue;
    if (rank >= first && rank < first + size) lanes |= 1u << lane;
    ++rank;
  }
  return coalesced_group(lanes, first / size, (group.size() + size - 1) / size);
}

template <typename Group, typename Label>
coalesced_group labeled_partition(const Group& group, Label label) {
  const unsigned int alike = __match_any_sync(group.mask(), label);
  const unsigned int leader = static_cast<unsigned int>(__ffs(static_cast<int>(alike))) - 1;
  const unsigned int leaders = __ballot_sync(group.mask(), thread_block::rank() % 32 == leader);
  const unsigned int before = leaders & ((1u << leader) - 1u);
  return coalesced_group(alike, static_cast<unsigned int>(__popc(before)), static_cast<unsigned int>(__popc(leaders)));
}

template <typename Group>
coalesced_group binary_partition(const Group& group, bool predicate) {
  const unsigned int lanes = group.mask(), yes = __ballot_sync(lanes, predicate);
  if (yes == 0 || yes == lanes) return coalesced_group(lanes);
  return coalesced_group(predicate ? yes : lanes & ~yes, predicate ? 1 : 0, 2);
}

// One thread of the group calls the function.
template <typename Group, typename Function, typename... Arguments>
void invoke_one(const Group& group, Function&& function, Arguments&&... arguments) {
  if (group.thread_rank() == 0) function(std::forward<Arguments>(arguments)...);
}

class grid_group {
 public:
  void sync() const { __grid_barrier(); }
  unsigned long long thread_rank() const { return block_rank() * (blockDim.x * blockDim.y * blockDim.z) + thread_block::rank(); }
  unsigned long long block_rank() const {
    return (static_cast<unsigned long long>(blockIdx.z) * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  }
  unsigned long long num_blocks() const { return static_cast<unsigned long long>(gridDim.x) * gridDim.y * gridDim.z; }
  unsigned long long num_threads() const { return num_blocks() * (blockDim.x * blockDim.y * blockDim.z); }
  unsigned long long size() const { return num_threads(); }
  dim3 block_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  dim3 dim_blocks() const { return gridDim; }
  dim3 group_dim() const { return gridDim; }
  bool is_valid() const { return __grid_is_cooperative(); }
};

inline grid_group this_grid() { return grid_group(); }

template <typename Group>
void sync(const Group& group) {
  group.sync();
}
template <typename Group>
void synchronize(const Group& group) {  // its name in CUDA 9
  group.sync();
}

}  // namespace cooperative_groups
