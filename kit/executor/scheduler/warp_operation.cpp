// Results of warp-wide operations, as the CUDA C++ Programming Guide defines them.
#include "executor/scheduler/warp_operation.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace tilelab::simt {
namespace {

using Type = ExchangedType;

constexpr WarpFunction functions[] = {
    // in the order of WarpOperation
    {"__syncwarp()", Type::bits, 0},
    {"", Type::bits, 0},
    {"__all_sync()", Type::whole, 4},
    {"__any_sync()", Type::whole, 4},
    {"__ballot_sync()", Type::natural, 4},
    {"__activemask()", Type::natural, 4},
    {"__match_any_sync()", Type::natural, 4},
    {"__match_all_sync()", Type::bits, 0},  // it gives two values
    {"__reduce_add_sync()", Type::natural, 4},
    {"__reduce_min_sync()", Type::whole, 4},
    {"__reduce_max_sync()", Type::whole, 4},
    {"__reduce_min_sync()", Type::natural, 4},
    {"__reduce_max_sync()", Type::natural, 4},
    {"__reduce_and_sync()", Type::natural, 4},
    {"__reduce_or_sync()", Type::natural, 4},
    {"__reduce_xor_sync()", Type::natural, 4},
    {"mma_sync()", Type::bits, 0},
};
static_assert(std::size(functions) == static_cast<std::size_t>(WarpOperation::together) + 1);

std::uint64_t reduce(WarpOperation operation, std::uint64_t left, std::uint64_t right) {
  const auto a = static_cast<std::uint32_t>(left), b = static_cast<std::uint32_t>(right);
  const auto signed_a = static_cast<std::int32_t>(a), signed_b = static_cast<std::int32_t>(b);
  switch (operation) {
    case WarpOperation::reduce_add: return a + b;
    case WarpOperation::reduce_min_signed: return static_cast<std::uint32_t>(std::min(signed_a, signed_b));
    case WarpOperation::reduce_max_signed: return static_cast<std::uint32_t>(std::max(signed_a, signed_b));
    case WarpOperation::reduce_min_unsigned: return std::min(a, b);
    case WarpOperation::reduce_max_unsigned: return std::max(a, b);
    case WarpOperation::reduce_and:
    case WarpOperation::vote_all: return a & b;
    case WarpOperation::reduce_or:
    case WarpOperation::vote_any: return a | b;
    case WarpOperation::reduce_xor: return a ^ b;
    default: return left;
  }
}

template <typename Use>
void each_lane(std::uint32_t lanes, Use use) {
  for (; lanes != 0; lanes &= lanes - 1) use(static_cast<std::uint32_t>(std::countr_zero(lanes)));
}

std::uint64_t lanes_with_value(const std::array<LaneRequest, 32>& lanes, std::uint32_t arrived, std::uint64_t value) {
  std::uint64_t found = 0;
  each_lane(arrived, [&](std::uint32_t lane) { found |= lanes[lane].value == value ? 1ull << lane : 0; });
  return found;
}

// Lanes that came for other work are not there.
void do_together(const std::array<LaneRequest, 32>& lanes, std::uint32_t arrived) {
  const WarpWork* first = nullptr;
  std::array<void*, 32> there{};
  each_lane(arrived, [&](std::uint32_t lane) {
    if (lanes[lane].operation != WarpOperation::together) return;
    const auto* work = reinterpret_cast<const WarpWork*>(lanes[lane].value);
    if (first == nullptr) first = work;
    if (work->work == first->work) there[lane] = work->lane;
  });
  if (first != nullptr) first->work(there);
}

}  // namespace

const WarpFunction& function_of(WarpOperation operation) { return functions[static_cast<std::size_t>(operation)]; }

std::array<std::uint64_t, 32> combine(const std::array<LaneRequest, 32>& lanes, std::uint32_t arrived, std::uint64_t undefined) {
  std::array<std::uint64_t, 32> results{};
  do_together(lanes, arrived);
  std::optional<std::uint64_t> folded;  // only reductions and votes need it
  const auto fold = [&] {
    each_lane(arrived,
              [&](std::uint32_t lane) { folded = folded ? reduce(lanes[lane].operation, *folded, lanes[lane].value) : lanes[lane].value; });
  };
  each_lane(arrived, [&](std::uint32_t lane) {
    const LaneRequest& mine = lanes[lane];
    std::uint64_t& result = results[lane];
    switch (mine.operation) {
      case WarpOperation::sync:
      case WarpOperation::together: break;
      case WarpOperation::active_mask: result = arrived; break;
      case WarpOperation::shuffle: result = ((arrived >> mine.source % 32) & 1u) != 0 ? lanes[mine.source % 32].value : undefined; break;
      case WarpOperation::ballot: result = lanes_with_value(lanes, arrived, 1); break;
      case WarpOperation::match_any: result = lanes_with_value(lanes, arrived, mine.value); break;
      case WarpOperation::match_all: result = lanes_with_value(lanes, arrived, mine.value) == arrived ? arrived : 0; break;
      default:
        if (!folded) fold();
        result = *folded;
    }
  });
  return results;
}

}  // namespace tilelab::simt
