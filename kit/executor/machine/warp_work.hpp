// Work of all lanes of a warp together, which one of them does for all while the others wait: products of matrices.
#pragma once

#include <array>
#include <cstdint>

#include "executor/machine/machine.hpp"

namespace tilelab::simt {

constexpr std::uint32_t whole_warp = 0xFFFFFFFFu;

// `mine` is what this lane gives and gets. `work` is called once, when all lanes have arrived, with the lanes that are there.
template <typename Lane>
void work_together(std::uintptr_t pc, Lane& mine, void (*work)(const std::array<void*, 32>& lanes)) {
  WarpWork request{work, &mine};
  Machine::current().exchange(pc, LaneRequest{WarpOperation::together, whole_warp, reinterpret_cast<std::uintptr_t>(&request), 0});
}

}  // namespace tilelab::simt
