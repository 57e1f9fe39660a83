// Results of warp-wide operations, as the CUDA C++ Programming Guide defines them.
#include "executor/scheduler/warp_operation.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace tilelab::simt {
namespace {

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

std::uint64_t lanes_with_value(const std::array<LaneRequest, 32>& lanes, std::uint32_t arrived, std::uint64_t value) {
  std::uint64_t found = 0;
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (((arrived >> lane) & 1u) != 0 && lanes[lane].value == value) found |= 1ull << lane;
  }
  return found;
}

// Lanes that came for other work are not there.
void do_together(const std::array<LaneRequest, 32>& lanes, std::uint32_t arrived) {
  const WarpWork* first = nullptr;
  std::array<void*, 32> there{};
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (((arrived >> lane) & 1u) == 0 || lanes[lane].operation != WarpOperation::together) continue;
    const auto* work = reinterpret_cast<const WarpWork*>(lanes[lane].value);
    if (first == nullptr) first = work;
    if (work->work == first->work) there[lane] = work->lane;
  }
  if (first != nullptr) first->work(there);
}

}  // namespace

const char* function_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::sync: return "__syncwarp()";
    case WarpOperation::shuffle: return "";
    case WarpOperation::vote_all: return "__all_sync()";
    case WarpOperation::vote_any: return "__any_sync()";
    case WarpOperation::ballot: return "__ballot_sync()";
    case WarpOperation::active_mask: return "__activemask()";
    case WarpOperation::match_any: return "__match_any_sync()";
    case WarpOperation::match_all: return "__match_all_sync()";
    case WarpOperation::reduce_add: return "__reduce_add_sync()";
    case WarpOperation::reduce_min_signed:
    case WarpOperation::reduce_min_unsigned: return "__reduce_min_sync()";
    case WarpOperation::reduce_max_signed:
    case WarpOperation::reduce_max_unsigned: return "__reduce_max_sync()";
    case WarpOperation::reduce_and: return "__reduce_and_sync()";
    case WarpOperation::reduce_or: return "__reduce_or_sync()";
    case WarpOperation::reduce_xor: return "__reduce_xor_sync()";
    case WarpOperation::together: return "mma_sync()";
  }
  return "";
}

ResultType result_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::sync:
    case WarpOperation::shuffle:
    case WarpOperation::match_all:  // it gives two values
    case WarpOperation::together: return {};
    case WarpOperation::vote_all:
    case WarpOperation::vote_any:
    case WarpOperation::reduce_min_signed:
    case WarpOperation::reduce_max_signed: return {ExchangedType::whole, 4};
    default: return {ExchangedType::natural, 4};
  }
}

std::array<std::uint64_t, 32> combine(const std::array<LaneRequest, 32>& lanes, std::uint32_t arrived, std::uint64_t undefined) {
  std::array<std::uint64_t, 32> results{};
  if (arrived == 0) return results;
  const auto first = static_cast<std::uint32_t>(std::countr_zero(arrived));
  do_together(lanes, arrived);
  const auto fold = [&] {
    std::uint64_t folded = lanes[first].value;
    for (std::uint32_t lane = first + 1; lane < 32; ++lane) {
      if (((arrived >> lane) & 1u) != 0) folded = reduce(lanes[lane].operation, folded, lanes[lane].value);
    }
    return folded;
  };
  std::optional<std::uint64_t> folded;  // only reductions and votes need it
  for (std::uint32_t lane = 0; lane < 32; ++lane) {
    if (((arrived >> lane) & 1u) == 0) continue;
    const LaneRequest& mine = lanes[lane];
    switch (mine.operation) {
      case WarpOperation::sync:
      case WarpOperation::together: break;
      case WarpOperation::active_mask: results[lane] = arrived; break;
      case WarpOperation::shuffle: {
        const std::uint32_t source = mine.source % 32;
        results[lane] = ((arrived >> source) & 1u) != 0 ? lanes[source].value : undefined;
        break;
      }
      case WarpOperation::ballot: results[lane] = lanes_with_value(lanes, arrived, 1); break;
      case WarpOperation::match_any: results[lane] = lanes_with_value(lanes, arrived, mine.value); break;
      case WarpOperation::match_all: {
        results[lane] = lanes_with_value(lanes, arrived, mine.value) == arrived ? arrived : 0;
        break;
      }
      default:
        if (!folded) folded = fold();
        results[lane] = *folded;
        break;
    }
  }
  return results;
}

}  // namespace tilelab::simt
