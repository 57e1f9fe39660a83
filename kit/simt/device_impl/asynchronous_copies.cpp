// The copies of device/asynchronous_copies.hpp.
#include "simt/device/asynchronous_copies.hpp"

#include <algorithm>

#include "simt/device_impl/announcing.hpp"

using tilelab::simt::Machine;

inline namespace cuda_on_cpu {
namespace pipeline_on_cpu {

void copy(void* to, const void* from, std::size_t size, std::size_t zeros) {
  Machine& machine = Machine::current();
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t pc = TILELAB_PC, frame = TILELAB_CALLER_FRAME;
  if (size != 4 && size != 8 && size != 16) machine.trap("asks for a copy of neither 4 nor 8 nor 16 bytes", machine.statement(pc, frame));
  if (target % size != 0) machine.misaligned(target, size, pc, frame);
  if (source % size != 0) machine.misaligned(source, size, pc, frame);
  machine.copy_async(target, source, size, size - std::min(size, zeros), pc, frame);
}

void copy_part(void* to, const void* from, std::size_t size, unsigned rank, unsigned count) {
  Machine& machine = Machine::current();
  const auto target = reinterpret_cast<std::uintptr_t>(to), source = reinterpret_cast<std::uintptr_t>(from);
  const std::uintptr_t pc = TILELAB_PC, frame = TILELAB_CALLER_FRAME;
  std::size_t piece = 16;
  while (piece > 1 && (target % piece != 0 || source % piece != 0 || size % piece != 0)) piece /= 2;
  for (std::size_t at = rank * piece; at < size; at += count * piece) machine.copy_async(target + at, source + at, piece, piece, pc, frame);
}

void check_alignment(const void* pointer, std::size_t alignment) {
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (alignment != 0 && address % alignment != 0) Machine::current().misaligned(address, alignment, TILELAB_PC, TILELAB_CALLER_FRAME);
}

void commit() { Machine::current().commit_copies(); }
void wait(std::size_t prior) { Machine::current().wait_for_copies(static_cast<std::uint32_t>(prior)); }

}  // namespace pipeline_on_cpu
}  // namespace cuda_on_cpu
