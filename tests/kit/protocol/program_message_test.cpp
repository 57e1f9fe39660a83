// A program's memory in a message, and mapped into a launch.
#include "protocol/protocol.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <limits>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>

#include "program/memory/device_memory.hpp"
#include "runner/submission/launch_memory.hpp"

using namespace tilelab;
using namespace tilelab::protocol;
using nlohmann::json;

namespace {

constexpr std::uintptr_t first = program_first + program_gap;

ProgramBuffer buffer(std::uintptr_t address, std::size_t bytes) {
  ProgramBuffer one;
  one.name = "x";
  one.address = address;
  one.bytes = bytes;
  return one;
}

ProgramMemory memory_of(std::vector<ProgramBuffer> buffers) { return {.buffers = std::move(buffers), .variables = {}}; }

}  // namespace

TEST_CASE("a program's memory survives its message", "[program_message]") {
  ProgramMemory memory = memory_of({buffer(first, 100), buffer(first + program_gap, 5)});
  memory.buffers[1].only_read = true;
  memory.buffers[1].named_from = 3;
  memory.variables.push_back({"counter", 1, true});
  const auto again = json(memory).get<ProgramMemory>();
  CHECK(json(again) == json(memory));
  CHECK(again.buffers[1].named_from == 3);
  CHECK(again.variables[0].symbol == "counter");
}

TEST_CASE("buffers that lie too close, elsewhere, or on half pages are refused", "[program_message]") {
  const auto refused = [](const ProgramMemory& memory) { CHECK_THROWS_AS(json(memory).get<ProgramMemory>(), json::exception); };
  refused(memory_of({buffer(first, 100), buffer(first + 4096, 100)}));
  refused(memory_of({buffer(first + program_gap, 100), buffer(first, 100)}));
  refused(memory_of({buffer(0x1000, 100)}));
  refused(memory_of({buffer(program_end - 4096, 8192)}));
  refused(memory_of({buffer(first, ~std::size_t{0})}));
  refused(memory_of({buffer(first + 8, 100)}));
  refused(memory_of({buffer(first, 0)}));
  ProgramMemory memory = memory_of({buffer(first, 100)});
  memory.variables.push_back({"counter", 1, true});
  refused(memory);
}

TEST_CASE("textures survive their message, and those of freed memory as well", "[program_message]") {
  ProgramMemory memory = memory_of({buffer(first, 4096)});
  ProgramTexture texture{.place = 3, .generation = 2, .address = first + 512, .buffer = 0, .description = {}};
  texture.description.extents = {8, 8};
  texture.description.address.fill(simt::AddressMode::border);
  texture.description.border = {1.5f, 0, 0, std::numeric_limits<float>::infinity()};
  texture.description.pitch = 64;
  memory.textures.push_back(texture);
  texture.buffer = std::nullopt;
  texture.description.pitch = 0;
  texture.description.cube = true;
  texture.description.levels = 4;
  texture.description.level_bias = -0.5f;
  memory.textures.push_back(texture);
  const auto again = json(memory).get<ProgramMemory>();
  CHECK(json(again) == json(memory));
  CHECK(again.textures[0].description.border[3] == std::numeric_limits<float>::infinity());
  CHECK(again.textures[1].description.level_bias == -0.5f);
  CHECK_FALSE(again.textures[1].buffer);
}

TEST_CASE("a texture that is larger than its memory is refused", "[program_message]") {
  program::DeviceMemory device(1u << 20);
  program::Allocation& one = *device.allocate(1000, program::MemoryKind::device, 1);
  ProgramMemory memory = memory_of({buffer(one.address, one.bytes)});
  ProgramTexture texture{.place = 0, .generation = 1, .address = one.address, .buffer = 0, .description = {}};
  texture.description.extents = {251};
  texture.description.address.fill(simt::AddressMode::clamp);
  memory.textures.push_back(texture);
  std::vector<Descriptor> files;
  for (const int file : device.files()) files.emplace_back(::dup(file));
  simt::MemoryMap map;
  CHECK_THROWS_AS(MappedProgram(memory, files, map), std::runtime_error);
  munmap(reinterpret_cast<void*>(one.address - simt::red_zone_bytes), 2 * simt::red_zone_bytes + 4096);
}

TEST_CASE("a launch sees the program's bytes at the program's addresses, and what it writes stays", "[program_message]") {
  program::DeviceMemory device(1u << 20);
  program::Allocation& one = *device.allocate(100, program::MemoryKind::device, 1);
  program::Allocation& two = *device.allocate(100, program::MemoryKind::managed, 1);
  std::memcpy(one.content, "host", 5);
  ProgramMemory memory;
  for (const program::Allocation* each : {&one, &two}) {
    ProgramBuffer described = buffer(each->address, each->bytes);
    described.file = each->file();
    described.offset = each->offset;
    described.marks = each->marks_offset;
    memory.buffers.push_back(described);
  }
  std::vector<Descriptor> files;
  for (const int file : device.files()) files.emplace_back(::dup(file));
  simt::MemoryMap map;
  const MappedProgram mapped(memory, files, map);
  auto* const here = reinterpret_cast<char*>(one.address);
  CHECK(std::strcmp(here, "host") == 0);
  std::strcpy(here, "kernel");
  CHECK(std::strcmp(one.content, "kernel") == 0);
  here[-1000] = here[100 + 1000] = 1;  // red zones
  const simt::Region* region = map.find_global(one.address, 100);
  REQUIRE(region != nullptr);
  CHECK(map.find_global(one.address, 101) == nullptr);
  CHECK(map.buffer_near(one.address + 100) == region);
  CHECK(map.find_global(two.address + 99, 1)->marks->words[24] == 0x0F);
  region->marks->words[0] = 0xFF;
  CHECK(one.marks[0] == 0xFF);
  CHECK(mapped.uses().empty());
  region->marks->written.add(4, 8);
  REQUIRE(mapped.uses().size() == 1);
  CHECK(mapped.uses()[0].written.first == 4);
  CHECK(mapped.uses()[0].written.end == 12);
  CHECK_FALSE(mapped.uses()[0].host);  // memory of the device
  for (const ProgramBuffer& each : memory.buffers)
    munmap(reinterpret_cast<void*>(each.address - simt::red_zone_bytes), 2 * simt::red_zone_bytes + 4096);
}
