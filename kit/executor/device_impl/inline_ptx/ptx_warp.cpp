// What inline PTX asks of the thread, its warp and its block: see device/inline_ptx.hpp. The numbers are those of ptx_table.py.
#include <bit>

#include "executor/device/inline_ptx.hpp"
#include "executor/device_impl/announcing.hpp"

namespace {

using cuda_on_cpu::tilelab_ptx::bits;
using tilelab::simt::BarrierReduction;
using tilelab::simt::Index3;
using tilelab::simt::LaneRequest;
using tilelab::simt::Machine;
using tilelab::simt::ThreadRef;
using tilelab::simt::WarpOperation;

constexpr unsigned multiprocessors = 132;

unsigned part(const Index3& index, int which) { return which == 0 ? index.x : which == 1 ? index.y : index.z; }

bits ask(std::uintptr_t pc, WarpOperation operation, bits mask, bits value, std::uint32_t source = 0) {
  return Machine::current().exchange(pc, LaneRequest{operation, static_cast<std::uint32_t>(mask), value, source});
}

}  // namespace

inline namespace cuda_on_cpu {
namespace tilelab_ptx {

bits special_register(int which) {
  Machine& machine = Machine::current();
  const ThreadRef by = machine.running().ref;
  const auto& launch = machine.launch();
  const unsigned lane = by.lane();
  const unsigned below = (1u << lane) - 1u;
  switch (which) {
    case 0:
    case 1:
    case 2: return part(index_of(by.thread, launch.block), which);
    case 3:
    case 4:
    case 5: return part(launch.block, which - 3);
    case 6:
    case 7:
    case 8: return part(index_of(by.block, launch.grid), which - 6);
    case 9:
    case 10:
    case 11: return part(launch.grid, which - 9);
    case 12: return lane;
    case 13: return by.warp();
    case 14: return (launch.block.x * launch.block.y * launch.block.z + 31) / 32;
    case 15: return by.block % multiprocessors;
    case 16: return multiprocessors;
    case 17: return 1u << lane;
    case 18: return below;
    case 19: return below | 1u << lane;
    case 20: return ~below & ~(1u << lane);
    case 21: return ~below;
    case 22: return machine.clock(TILELAB_STATEMENT) & 0xFFFFFFFFu;
    case 23: return machine.clock(TILELAB_STATEMENT);
    case 24: return machine.clock(TILELAB_STATEMENT) >> 32;
    case 25: return 32;
    case 26: return launch.dynamic_shared_bytes;
    default: return launch.static_shared_bytes + launch.dynamic_shared_bytes;
  }
}

void barrier() { Machine::current().barrier(TILELAB_STATEMENT, BarrierReduction::none, 0, TILELAB_CALLER_FRAME); }

bits barrier_reduction(int operation, bits predicate) {
  const auto reduction = operation == 0 ? BarrierReduction::count : operation == 1 ? BarrierReduction::all : BarrierReduction::any;
  return static_cast<bits>(Machine::current().barrier(TILELAB_STATEMENT, reduction, predicate != 0 ? 1 : 0, TILELAB_CALLER_FRAME));
}

void sync_warp(bits mask) { ask(TILELAB_STATEMENT, WarpOperation::sync, mask, 0); }

bits shuffle(int mode, bits value, bits lane_operand, bits clamp, bits mask) {
  const auto lane = static_cast<int>(Machine::current().running().ref.lane());
  const int by = static_cast<int>(lane_operand & 31), last = static_cast<int>(clamp & 31), segment = static_cast<int>(clamp >> 8 & 31);
  const int highest = (lane & segment) | (last & ~segment), lowest = lane & segment;
  const int source = mode == 0 ? lane - by : mode == 1 ? lane + by : mode == 2 ? lane ^ by : lowest | (by & ~segment);
  const bool inside = mode == 0 ? source >= highest : source <= highest;
  const bits read =
      ask(TILELAB_STATEMENT, WarpOperation::shuffle, mask, value & 0xFFFFFFFFu, static_cast<std::uint32_t>(inside ? source : lane));
  return (read & 0xFFFFFFFFu) | (inside ? bits{1} << 32 : 0);
}

bits vote(int mode, bits predicate, bits mask) {
  const bits asked = predicate != 0 ? 1 : 0;
  const std::uintptr_t pc = TILELAB_STATEMENT;
  switch (mode) {
    case 0: return ask(pc, WarpOperation::vote_all, mask, asked);
    case 1: return ask(pc, WarpOperation::vote_any, mask, asked);
    case 2: return ask(pc, WarpOperation::match_all, mask, asked) != 0 ? 1 : 0;
    default: return ask(pc, WarpOperation::ballot, mask, asked);
  }
}

bits active_mask() { return Machine::current().converge(TILELAB_STATEMENT); }

bits match_any(bits value, bits mask, bool wide) {
  return ask(TILELAB_STATEMENT, WarpOperation::match_any, mask, wide ? value : value & 0xFFFFFFFFu);
}
bits match_all(bits value, bits mask, bool wide) {
  return ask(TILELAB_STATEMENT, WarpOperation::match_all, mask, wide ? value : value & 0xFFFFFFFFu);
}

bits reduce(int operation, bits value, bits mask) {
  constexpr WarpOperation operations[] = {WarpOperation::reduce_add,          WarpOperation::reduce_min_signed,
                                          WarpOperation::reduce_max_signed,   WarpOperation::reduce_min_unsigned,
                                          WarpOperation::reduce_max_unsigned, WarpOperation::reduce_and,
                                          WarpOperation::reduce_or,           WarpOperation::reduce_xor};
  return ask(TILELAB_STATEMENT, operations[operation], mask, value & 0xFFFFFFFFu) & 0xFFFFFFFFu;
}

}  // namespace tilelab_ptx
}  // namespace cuda_on_cpu
