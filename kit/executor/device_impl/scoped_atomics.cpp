// The atomics of device/library_calls.hpp. An order is made of fences: release comes before the access, acquire after it.
#include "executor/device/library_calls.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "executor/device_impl/announcing.hpp"

using namespace tilelab::simt;

inline namespace cuda_on_cpu {
namespace atomic_on_cpu {
namespace {

enum Order { relaxed, consume, acquire, release, acq_rel, seq_cst };
constexpr int scope_of_system = 0, scope_of_block = 2;

bool releases(int order) { return order == release || order == acq_rel || order == seq_cst; }
bool acquires(int order) { return order != relaxed && order != release; }

struct Place {
  std::uintptr_t address;
  CallSite site;
  unsigned size;
  Scope scope;

  Place(const void* at, unsigned bytes, int number, CallSite by)
      : address(reinterpret_cast<std::uintptr_t>(at)), site(by), size(bytes), scope(number >= scope_of_block    ? Scope::block
                                                                                    : number == scope_of_system ? Scope::system
                                                                                                                : Scope::device) {
    Machine& machine = Machine::current();
    if (address % size != 0) machine.misaligned(address, size, site);
    if (machine.is_shared(address)) machine.use_thread_order();
  }
  void fence() const { Machine::current().fence(Machine::current().statement(site), scope == Scope::block); }
  unsigned long long content() const {
    unsigned long long bits = 0;
    std::memcpy(&bits, reinterpret_cast<const void*>(address), size);
    return bits;
  }
  void set(unsigned long long bits) const { std::memcpy(reinterpret_cast<void*>(address), &bits, size); }
};

template <typename Number, typename Bits>
unsigned long long computed(Operation operation, unsigned long long old, unsigned long long operand) {
  const auto a = std::bit_cast<Number>(static_cast<Bits>(old)), b = std::bit_cast<Number>(static_cast<Bits>(operand));
  switch (operation) {
    case Operation::add: return std::bit_cast<Bits>(a + b);
    case Operation::subtract: return std::bit_cast<Bits>(a - b);
    case Operation::minimum: return std::bit_cast<Bits>(std::min(a, b));
    default: return std::bit_cast<Bits>(std::max(a, b));
  }
}

// What goes beyond `size` bytes is not stored.
unsigned long long next(Operation operation, unsigned size, int kind, unsigned long long old, unsigned long long operand) {
  const unsigned unused = 64 - 8 * size;
  const auto is_less = [&](unsigned long long a, unsigned long long b) {
    return kind == 1 ? static_cast<long long>(a << unused) < static_cast<long long>(b << unused) : a << unused < b << unused;
  };
  switch (operation) {
    case Operation::exchange:
    case Operation::compare_exchange: return operand;
    case Operation::bit_and: return old & operand;
    case Operation::bit_or: return old | operand;
    case Operation::bit_xor: return old ^ operand;
    default: break;
  }
  if (kind == 2)
    return size == 4 ? computed<float, std::uint32_t>(operation, old, operand) : computed<double, std::uint64_t>(operation, old, operand);
  switch (operation) {
    case Operation::add: return old + operand;
    case Operation::subtract: return old - operand;
    case Operation::minimum: return is_less(operand, old) ? operand : old;
    default: return is_less(old, operand) ? operand : old;
  }
}

}  // namespace

unsigned long long load(const void* address, unsigned size, int order, int scope) {
  const Place place(address, size, scope, TILELAB_SITE);
  if (order == seq_cst) place.fence();
  Machine::current().access_strongly(place.address, size, AccessKind::read, place.scope, place.site);
  const unsigned long long bits = place.content();
  if (acquires(order)) place.fence();
  return bits;
}

void store(void* address, unsigned size, unsigned long long value, int order, int scope) {
  const Place place(address, size, scope, TILELAB_SITE);
  if (releases(order)) place.fence();
  Machine::current().access_strongly(place.address, size, AccessKind::write, place.scope, place.site);
  place.set(value);
}

unsigned long long update(void* address, unsigned size, int kind, Operation operation, unsigned long long operand, int order, int scope) {
  const Place place(address, size, scope, TILELAB_SITE);
  if (releases(order)) place.fence();
  Machine::current().access(place.address, size, AccessKind::atomic, false, place.site, place.scope);
  const unsigned long long old = place.content();
  place.set(next(operation, size, kind, old, operand));
  if (acquires(order)) place.fence();
  return old;
}

unsigned long long compare_exchange(void* address, unsigned size, unsigned long long expected, unsigned long long desired, int order,
                                    int failure, int scope) {
  const Place place(address, size, scope, TILELAB_SITE);
  if (releases(order)) place.fence();
  Machine::current().access(place.address, size, AccessKind::atomic, false, place.site, place.scope);
  const unsigned long long old = place.content();
  if (old == expected) place.set(desired);
  if (acquires(old == expected ? order : failure)) place.fence();
  return old;
}

void fence(int order, int scope) {
  if (order != relaxed) Machine::current().fence(TILELAB_STATEMENT, scope >= scope_of_block);
}

}  // namespace atomic_on_cpu
}  // namespace cuda_on_cpu
