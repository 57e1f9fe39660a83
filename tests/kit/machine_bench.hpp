// A machine with a buffer and a shared array. Kernels in its tests announce by hand what an instrumented kernel would announce.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "executor/machine/machine.hpp"
#include "recorded_events.hpp"

namespace tilelab::simt::machine_bench {

inline constexpr std::uintptr_t pc = 0x1234;

alignas(16) inline std::array<unsigned char, 64> shared_block;

// A constant of the submission.
inline const std::array<int, 4> constants{1, 2, 3, 4};

// Code addresses; sixteen of them are one line.
inline bool on_one_line(std::uintptr_t one, std::uintptr_t other) { return one / 16 == other / 16; }

// A machine with a buffer A of 100 bytes and a shared array As of 40 bytes in a span of 64.
class Bench {
 public:
  explicit Bench(std::uint64_t budget = 1'000'000, std::uint32_t threads = 64, std::vector<AddressRange> header_code = {})
      : stacks_(threads), machine(memory_, announcer_, stacks_, budget, std::move(header_code), on_one_line) {
    announcer_.add(events);
    Region buffer;
    buffer.name = "A";
    buffer.bytes = 100;
    a = &memory_.add_buffer(buffer);
    Region array;
    array.name = "As";
    array.space = Space::shared;
    array.base = reinterpret_cast<std::uintptr_t>(shared_block.data());
    array.bytes = 40;
    memory_.set_shared(array.base, shared_block.size(), {array});
    Region table;
    table.base = reinterpret_cast<std::uintptr_t>(constants.data());
    table.bytes = sizeof constants;
    table.constant = true;
    memory_.add_module(table);
  }

  void run(Index3 grid, Index3 block, const std::function<void()>& kernel, std::optional<std::uint64_t> seed = {}) {
    LaunchEvent launch;
    launch.grid = grid;
    launch.block = block;
    machine.run(launch, kernel, seed);
  }
  // Runs one thread that makes one access. Returns whether the thread continued after it.
  bool survives(std::uintptr_t address, std::size_t size, AccessKind kind = AccessKind::read) {
    bool went_on = false;
    run({1, 1, 1}, {1, 1, 1}, [&] {
      machine.access(address, size, kind, false, {pc, 0});
      went_on = true;
    });
    return went_on;
  }

  MemoryMap& memory() { return memory_; }
  std::uintptr_t as() const { return reinterpret_cast<std::uintptr_t>(shared_block.data()); }

  RecordedEvents events;
  const Region* a = nullptr;

 private:
  MemoryMap memory_;
  Announcer announcer_;
  FiberStacks stacks_;

 public:
  Machine machine;
};

}  // namespace tilelab::simt::machine_bench
