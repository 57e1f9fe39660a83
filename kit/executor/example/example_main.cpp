// Runs one block of a kernel on the CPU executor and prints what the observers find.
#include <iostream>

#include "executor/machine/machine.hpp"
#include "executor/observer_list.hpp"

void shift_left(float* values);

int main() {
  namespace simt = tilelab::simt;
  constexpr unsigned threads = 64;

  simt::Region values;
  values.name = "values";
  values.role = simt::BufferRole::inout;
  values.bytes = threads * sizeof(float);
  simt::MemoryMap memory;
  const simt::Region& buffer = memory.add_buffer(values);

  simt::ObserverList observers;
  simt::Announcer announcer;
  observers.join(announcer);
  simt::FiberStacks stacks(threads);
  simt::Machine machine(memory, announcer, stacks, 1'000'000);  // accesses and basic blocks, before it counts as a timeout
  const auto kernel = [&] {
    machine.entered_kernel(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
    shift_left(reinterpret_cast<float*>(buffer.base));
  };
  machine.run({.grid = {1, 1, 1}, .block = {threads, 1, 1}}, kernel, {});

  for (const simt::RawFinding& finding : observers.log().deduplicated()) {
    std::cout << tilelab::name(finding.kind) << ": thread " << finding.site.by.thread << ", " << finding.site.access << " of "
              << simt::element_name(*finding.region, finding.offset) << '\n';
  }
}
