// The definitions behind TILELAB_DOES in the rows of CUDA's functions: what announces an access, and what a thread asks of its warp, its
// block and the launch. The macros below stand for statements, and are no functions, because a caller's frame is found through our own.
#include <cmath>

#include "executor/device_impl/announcing.hpp"

#define TILELAB_DOES(...) \
  {                       \
    __VA_ARGS__;          \
  }

// Announces the update of *address and returns the old value.
#define TILELAB_UPDATE(address, scope, ...)                                  \
  announce_aligned(address, AccessKind::atomic, TILELAB_SITE, Scope::scope); \
  auto old = *(address);                                                     \
  *(address) = static_cast<decltype(old)>(__VA_ARGS__);                      \
  return old
#define TILELAB_LOAD(address)                                \
  announce_aligned(address, AccessKind::read, TILELAB_SITE); \
  return *(address)
#define TILELAB_STORE(address, value)                         \
  announce_aligned(address, AccessKind::write, TILELAB_SITE); \
  *(address) = value
#define TILELAB_GIVE_TWO(to, value, also_to, other)    \
  TILELAB_ANNOUNCE(to, sizeof *(to), write);           \
  TILELAB_ANNOUNCE(also_to, sizeof *(also_to), write); \
  *(to) = value;                                       \
  *(also_to) = other
#define TILELAB_NORM(count, a)                    \
  double length = 0.0;                            \
  for (int i = 0; i < (count); ++i) {             \
    TILELAB_ANNOUNCE((a) + i, sizeof *(a), read); \
    length = std::hypot(length, (a)[i]);          \
  }
#define TILELAB_LANE \
  std::int64_t { own_lane() }
#define TILELAB_SHUFFLE(source, wraps) return shuffle(TILELAB_STATEMENT, mask, value, shuffle_source(source, width, wraps))
#define TILELAB_ASK(Result, operation, value) static_cast<Result>(ask(TILELAB_STATEMENT, WarpOperation::operation, mask, value))
#define TILELAB_LIES(where, address) (Machine::active() && Machine::current().where(reinterpret_cast<std::uintptr_t>(address)))

using namespace tilelab::simt;

namespace {

template <typename Value>
std::uint64_t ask(std::uintptr_t pc, WarpOperation operation, unsigned mask, Value value) {
  return Machine::current().exchange(pc, LaneRequest{operation, mask, bits_of(value), 0});
}

}  // namespace

#include "executor/device/arithmetic_functions.hpp"
#include "executor/device/half_functions.hpp"
#include "executor/device/launch_functions.hpp"

static_assert(sizeof(__child_configuration) == sizeof(ChildGrid::Configuration));

extern "C" long tilelab_clock() { return Machine::active() ? static_cast<long>(Machine::current().clock(TILELAB_STATEMENT)) : 0; }
