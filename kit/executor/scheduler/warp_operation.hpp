// What a lane gives to a warp-wide operation and gets from it: shuffles, votes, match, reduce and plain __syncwarp.
#pragma once

#include <array>
#include <cstdint>

#include "executor/event.hpp"

namespace tilelab::simt {

enum class WarpOperation : std::uint8_t {
  sync,
  shuffle,
  vote_all,
  vote_any,
  ballot,
  active_mask,
  match_any,
  match_all,
  reduce_add,
  reduce_min_signed,
  reduce_max_signed,
  reduce_min_unsigned,
  reduce_max_unsigned,
  reduce_and,
  reduce_or,
  reduce_xor,
  together
};

struct LaneRequest {
  WarpOperation operation = WarpOperation::sync;
  std::uint32_t mask = 0;
  std::uint64_t value = 0;   // zero-extended bits; for a vote, the predicate as 0 or 1
  std::uint32_t source = 0;  // for a shuffle: the lane to read
  std::uint8_t bytes = 0;    // for a shuffle: of the value
  ExchangedType type = ExchangedType::bits;
};

// What `together` needs of a lane; the request's value is its address.
struct WarpWork {
  void (*work)(const std::array<void*, 32>& lanes);
  void* lane;
};

struct WarpFunction {
  const char* name;    // CUDA's name of the function that asks for an operation; empty for a shuffle, which has four
  ExchangedType type;  // of what it brings a lane, if that is no shuffle's
  std::uint8_t bytes;  // of it; 0: a lane gets nothing that can be shown
};
const WarpFunction& function_of(WarpOperation operation);

// One result for each lane of `arrived`, from the requests of those lanes. A shuffle from a lane that is not there returns
// `undefined`.
std::array<std::uint64_t, 32> combine(const std::array<LaneRequest, 32>& lanes, std::uint32_t arrived, std::uint64_t undefined = 0);

}  // namespace tilelab::simt
