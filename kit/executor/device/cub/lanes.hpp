// What CUB's collectives have in common: places in TempStorage, lanes that work together, orders and the operators that CUB has itself.
// A thread's accesses to TempStorage are announced like those of the student's statement, so a barrier that is missing between two
// uses is a race. A result that CUB leaves undefined is undefined here too.
#pragma once

#include <cooperative_groups.h>

#include <climits>
#include <cuda/functional>

#pragma GCC system_header

namespace cub {

struct Sum : cuda::std::plus<> {};
struct Difference : cuda::std::minus<> {};
struct Equality : cuda::std::equal_to<> {};
struct Inequality : cuda::std::not_equal_to<> {};
struct Max : cuda::maximum<> {};
struct Min : cuda::minimum<> {};

template <typename Key, typename Value>
struct KeyValuePair {
  Key key;
  Value value;
};
// Of two pairs of an index and a value, the one with the extreme value; of two that are equal, the one with the smaller index.
struct ArgMax {
  template <typename Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return a.value < b.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <typename Pair>
  Pair operator()(const Pair& a, const Pair& b) const {
    return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a;
  }
};

struct NullType {};

TILELAB_GROUP_QUIET inline unsigned int LaneId() { return cooperative_groups::thread_block::rank() % 32; }
TILELAB_GROUP_QUIET inline unsigned int WarpId() { return cooperative_groups::thread_block::rank() / 32; }
TILELAB_GROUP_QUIET inline int RowMajorTid(int, int, int) { return static_cast<int>(cooperative_groups::thread_block::rank()); }

namespace detail {

// Places for objects of a type that may have constructors, which shared memory has none of.
template <typename T, int Count>
struct Slots {
  alignas(T) unsigned char bytes[Count * sizeof(T)];
  TILELAB_GROUP_QUIET T& operator[](int at) { return first()[at]; }
  TILELAB_GROUP_QUIET T* first() { return reinterpret_cast<T*>(bytes); }
};

// TempStorage of a collective that is given none.
template <typename Storage>
TILELAB_GROUP_QUIET Storage& storage_of_block() {
  __shared__ Storage storage;
  return storage;
}

// `Count` lanes of a warp that work together, the first of which is a multiple of `Count`.
template <int Count>
struct Lanes {
  static_assert(Count >= 1 && Count <= 32, "a logical warp has 1 to 32 threads");
  static constexpr int last = Count - 1;
  TILELAB_GROUP_QUIET static int first() { return static_cast<int>(LaneId()) / Count * Count; }
  TILELAB_GROUP_QUIET static int rank() { return static_cast<int>(LaneId()) % Count; }
  TILELAB_GROUP_QUIET static unsigned int mask() { return (0xFFFFFFFFu >> (32 - Count)) << first(); }
  template <typename T>
  TILELAB_GROUP_QUIET static T shuffled(T value, int source) {
    const int lane = first() + source;
    return cooperative_groups::by_words(value, [=](auto word) TILELAB_GROUP_QUIET { return __shfl_sync(mask(), word, lane); });
  }

  // In the order of CUB's shuffles, so that sums of floats are the same. The first lane has the result of lanes up to `end`.
  template <typename T, typename Operation>
  static T reduced(T value, Operation operation, int end = last) {
    for (int offset = 1; offset < Count; offset *= 2) {
      const bool counts = rank() + offset <= end;
      const T other = shuffled(value, counts ? rank() + offset : rank());
      if (counts) value = operation(value, other);
    }
    return value;
  }

  // Of the lanes up to this one.
  template <typename T, typename Operation>
  static T scanned(T value, Operation operation) {
    for (int offset = 1; offset < Count; offset *= 2) {
      const T other = shuffled(value, rank() >= offset ? rank() - offset : rank());
      if (rank() >= offset) value = operation(other, value);
    }
    return value;
  }
};

// How the items of a block lie in a tile: one after the other those of a thread, or of the block, or of the warp.
enum Arrangement { blocked, striped, warp_striped };
template <Arrangement Kind, int Threads, int Items>
TILELAB_GROUP_QUIET int place(int thread, int item) {
  if (Kind == blocked) return thread * Items + item;
  if (Kind == striped) return item * Threads + thread;
  return thread / 32 * 32 * Items + item * 32 + thread % 32;
}
// How BlockLoad and BlockStore go through memory, by the numbers of their algorithms.
constexpr Arrangement in_memory(int algorithm) {
  constexpr Arrangement kinds[] = {blocked, striped, blocked, striped, warp_striped, warp_striped};
  return kinds[algorithm];
}
template <Arrangement Kind, int Threads, typename T, int Items, typename Iterator>
void load(int thread, Iterator from, T (&items)[Items], int valid_items = INT_MAX) {
  for (int i = 0; i < Items; ++i)
    if (const int at = place<Kind, Threads, Items>(thread, i); at < valid_items) items[i] = from[at];
}
template <Arrangement Kind, int Threads, typename T, int Items, typename Iterator, typename Default>
void load(int thread, Iterator from, T (&items)[Items], int valid_items, Default out_of_bounds) {
  for (T& item : items) item = out_of_bounds;
  load<Kind, Threads>(thread, from, items, valid_items);
}
template <Arrangement Kind, int Threads, typename T, int Items, typename Iterator>
void store(int thread, Iterator to, const T (&items)[Items], int valid_items = INT_MAX) {
  for (int i = 0; i < Items; ++i)
    if (const int at = place<Kind, Threads, Items>(thread, i); at < valid_items) to[at] = items[i];
}

template <typename T, int Count, typename Operation>
T reduced_items(const T (&items)[Count], Operation operation) {
  T result = items[0];
  for (int i = 1; i < Count; ++i) result = operation(result, items[i]);
  return result;
}

// What comes before the first element: nothing, a value, or what a functor answers that is told the sum of the whole block.
struct NothingBefore {};
template <typename T>
struct ValueBefore {
  T value;
  T operator()(const T&) const { return value; }
};
template <typename Functor>
struct AskedBefore {
  Functor& functor;
  template <typename T>
  T operator()(const T& total) const {
    return functor(total);
  }
};
template <typename Before>
inline constexpr bool has_before = !std::is_same_v<Before, NothingBefore>;

// The items before a thread's first and behind its last.
template <typename T, int Threads>
struct Neighbours {
  struct TempStorage {
    Slots<T, Threads> first, last;
  };
  TempStorage& storage;

  Neighbours() : storage(storage_of_block<TempStorage>()) {}
  explicit Neighbours(TempStorage& given) : storage(given) {}
  template <int Items>
  void meet(const T (&input)[Items]) {
    storage.first[thread()] = input[0];
    storage.last[thread()] = input[Items - 1];
    __syncthreads();
  }
  T left() { return storage.last[thread() - 1]; }
  T left(T of_first) { return thread() == 0 ? of_first : left(); }
  T right() { return storage.first[thread() + 1]; }
  T right(T of_last) { return is_last() ? of_last : right(); }
  static int thread() { return RowMajorTid(0, 0, 0); }
  static bool is_last() { return thread() == Threads - 1; }
};

}  // namespace detail

}  // namespace cub
