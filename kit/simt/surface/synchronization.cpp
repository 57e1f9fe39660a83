// Barriers, fences and traps of device/synchronization.hpp.
#include "simt/device/synchronization.hpp"
#include "simt/surface/announcing.hpp"

using tilelab::simt::BarrierReduction;
using tilelab::simt::LaneRequest;
using tilelab::simt::Machine;
using tilelab::simt::WarpOperation;

namespace cuda_on_cpu {

void __syncthreads() { Machine::current().barrier(TILELAB_PC, BarrierReduction::none, 0); }
int __syncthreads_count(int predicate) { return Machine::current().barrier(TILELAB_PC, BarrierReduction::count, predicate); }
int __syncthreads_and(int predicate) { return Machine::current().barrier(TILELAB_PC, BarrierReduction::all, predicate); }
int __syncthreads_or(int predicate) { return Machine::current().barrier(TILELAB_PC, BarrierReduction::any, predicate); }

void __syncwarp(unsigned mask) { Machine::current().exchange(TILELAB_PC, LaneRequest{WarpOperation::sync, mask, 0, 0}); }

void __threadfence() { Machine::current().fence(TILELAB_PC); }
void __threadfence_block() { Machine::current().fence(TILELAB_PC); }
void __threadfence_system() { Machine::current().fence(TILELAB_PC); }
void __nanosleep(unsigned) { Machine::current().edge(TILELAB_PC); }

void __trap() { Machine::current().trap("calls __trap()", TILELAB_PC); }

}  // namespace cuda_on_cpu
