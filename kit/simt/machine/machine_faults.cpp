// How a thread goes wrong: addresses that belong to nothing, wrong pointers and subscripts, memory that is freed wrongly, and a spent
// budget. What a thread does on its own stack is in machine_frames.cpp.
#include <algorithm>

#include "simt/machine/machine.hpp"

namespace tilelab::simt {
namespace {

constexpr std::uint32_t polls_that_mean_waiting = 4096;
constexpr std::uintptr_t unset_pointer = 0xFEFEFEFEFEFEFEFE;  // what the compiler fills a local variable with that nobody initialises

}  // namespace

void Machine::stray(const Access& access) {
  if (memory_.is_guard(access.address)) return;
  const Region* near = nullptr;
  bool harmless = false;
  if (access.space == Space::shared) {
    near = memory_.shared_before(access.address);
    harmless = access.address + access.size <= memory_.shared_base() + memory_.shared_span();
  } else {
    near = memory_.buffer_near(access.address);
    const std::size_t behind = near != nullptr && near->heap != nullptr ? 0 : red_zone_bytes;  // the heap's red zones are inside it
    harmless = near != nullptr && access.size <= red_zone_bytes && access.address + access.size <= near->base + near->bytes + behind;
    if (near == nullptr) {
      near = memory_.variable_near(access.address);
      harmless = near != nullptr && access.address >= near->base && access.address - near->base < near->room &&
                 access.size <= near->room - (access.address - near->base);
    }
  }
  announcer_.announce(&Observer::on_stray, access, near);
  if (!harmless) scheduler_.end_thread();
}

void Machine::check_target(std::uintptr_t target, std::uintptr_t pc, std::uintptr_t frame) {
  if (std::binary_search(targets_.begin(), targets_.end(), target)) return;
  const std::uintptr_t at = statement(pc, frame);
  if (target == 0) trap("calls a function through a null pointer", at);
  if (target == unset_pointer) trap("calls a function through a pointer that was never set", at);
  trap("calls a function through a pointer that holds no function of the file", at);
}

std::uintptr_t Machine::allocate(std::size_t bytes, std::uintptr_t statement) {
  spend(statement);
  DeviceHeap& heap = memory_.heap();
  const std::uintptr_t address = heap.allocate(bytes, statement, scheduler_.running().ref);
  if (heap.is_exhausted()) trap("allocates more in one launch than the executor can tell apart", statement, 0, true);
  return address;
}

void Machine::release(std::uintptr_t address, std::uintptr_t statement) {
  spend(statement);
  if (address == 0) return;
  DeviceHeap& heap = memory_.heap();
  const ThreadRef by = scheduler_.running().ref;
  const DeviceHeap::Freed freed = heap.release(address, statement, by);
  if (freed == DeviceHeap::Freed::yes) return;
  const DeviceHeap::Allocation* near = heap.near(address);
  const bool again = freed == DeviceHeap::Freed::again;
  trap_ = Trap{.why = again ? "frees memory that was freed before" : "frees an address that malloc or new did not return",
               .pc = statement,
               .by = by,
               .of_heap = near == nullptr ? nullptr
                          : again && near->freed_by == DeviceHeap::elsewhere
                              ? "frees {array} again: an earlier launch has freed that memory before"
                          : again ? "frees {array} again: {other} has freed that memory before"
                                  : "frees {element}: only an address that malloc or new returned can be freed",
               .address = address,
               .freed_by = again && near->freed_by != DeviceHeap::elsewhere ? near->freed_by : 0,
               .freeing = again ? near->freeing : ThreadRef{}};
  scheduler_.end_launch();
}

void Machine::index_outside(const Subscripted& what, std::uintptr_t pc, std::uintptr_t frame) {
  announcer_.announce(&Observer::on_index, IndexEvent{what, scheduler_.running().ref, statement(pc, frame)});
  scheduler_.end_thread();
}

void Machine::misaligned(std::uintptr_t address, std::size_t alignment, std::uintptr_t pc, std::uintptr_t frame) {
  Access access;
  access.address = address;
  access.pc = statement(pc, frame);
  access.by = scheduler_.running().ref;
  access.space = memory_.in_shared_span(address) ? Space::shared : Space::global;
  access.region = access.space == Space::shared ? memory_.find_shared(address, 1) : memory_.find_global(address, 1);
  announcer_.announce(&Observer::on_misaligned, access, alignment);
  scheduler_.end_thread();
}

void Machine::trap(const char* why, std::uintptr_t pc, int line, bool needs_gpu) {
  trap_ = Trap{.why = why, .pc = pc, .by = scheduler_.running().ref, .line = line, .freeing = {}, .needs_gpu = needs_gpu};
  scheduler_.end_launch();
}

void Machine::out_of_budget(std::uintptr_t pc) {
  budget_ = 1;  // later events, until the launch has ended, cost nothing
  const ThreadRef by = scheduler_.running().ref;
  timeout_ = Timeout{.pc = pc, .by = by, .waiting_for_another_thread = spins_.polls(by.thread) > polls_that_mean_waiting};
  scheduler_.end_launch();
}

}  // namespace tilelab::simt
