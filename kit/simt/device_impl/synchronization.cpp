// Barriers, fences and traps of device/synchronization.hpp.
#include "simt/device/synchronization.hpp"
#include "simt/device_impl/announcing.hpp"

using tilelab::simt::BarrierReduction;
using tilelab::simt::LaneRequest;
using tilelab::simt::Machine;
using tilelab::simt::WarpOperation;

inline namespace cuda_on_cpu {

void __syncthreads() { Machine::current().barrier(TILELAB_STATEMENT, BarrierReduction::none, 0, TILELAB_CALLER_FRAME); }
int __syncthreads_count(int predicate) {
  return Machine::current().barrier(TILELAB_STATEMENT, BarrierReduction::count, predicate, TILELAB_CALLER_FRAME);
}
int __syncthreads_and(int predicate) {
  return Machine::current().barrier(TILELAB_STATEMENT, BarrierReduction::all, predicate, TILELAB_CALLER_FRAME);
}
int __syncthreads_or(int predicate) {
  return Machine::current().barrier(TILELAB_STATEMENT, BarrierReduction::any, predicate, TILELAB_CALLER_FRAME);
}

void __grid_barrier() { Machine::current().grid_barrier(TILELAB_STATEMENT, TILELAB_CALLER_FRAME); }
bool __grid_is_cooperative() { return Machine::current().is_cooperative(); }

void __syncwarp(unsigned mask) { Machine::current().exchange(TILELAB_STATEMENT, LaneRequest{WarpOperation::sync, mask, 0, 0}); }

void __threadfence() { Machine::current().fence(TILELAB_STATEMENT); }
void __threadfence_block() { Machine::current().fence(TILELAB_STATEMENT, true); }
void __threadfence_system() { Machine::current().fence(TILELAB_STATEMENT); }
void __nanosleep(unsigned) { Machine::current().edge(TILELAB_STATEMENT); }

void tilelab_leaves() { Machine::current().returns(TILELAB_PC); }

void __trap() { Machine::current().trap("calls __trap()", TILELAB_STATEMENT); }

}  // namespace cuda_on_cpu
