// Textures and surfaces, and what a launch of a whole program finds in memory beyond its arguments: buffers at the addresses that the
// program knows, and the values of the module's variables. Their bytes lie in memory files that are sent with the request: device memory,
// memory that the host uses as well, the marks of both (see executor/memory/byte_marks.hpp), and what a launch touched (see
// executor/memory/touched_words.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "executor/memory/byte_marks.hpp"
#include "executor/memory/texture_object.hpp"
#include "executor/memory/touched_words.hpp"

namespace tilelab::protocol {

// A texture or a surface: how a kernel looks at the memory of an argument.
struct TextureDescription {
  bool surface = false;
  std::vector<std::uint32_t> extents;  // one to three, slowest first: {48, 64} has 48 rows of 64 texels
  std::uint32_t layers = 0;            // 0: not layered
  simt::TexelFormat format;
  std::vector<simt::AddressMode> address;  // of x, y and z
  bool linear = false, normalized = false, as_float = false;
  std::optional<std::size_t> of;  // the argument whose memory it shows; otherwise its own
  bool cube = false;              // six faces for each layer
  std::array<float, 4> border{};
  std::size_t pitch = 0;  // bytes from one row to the next; 0: rows follow each other
  std::uint32_t levels = 1;
  bool blends_levels = false;
  float level_bias = 0, least_level = 0, most_level = 0;
};

// A texture or a surface that a program's host code made: its handle is made of its place and its generation.
struct ProgramTexture {
  std::size_t place = 0;
  std::uint32_t generation = 0;
  std::uintptr_t address = 0;         // of its first texel
  std::optional<std::size_t> buffer;  // index in ProgramMemory::buffers; nothing: its memory was freed
  TextureDescription description;
};

// What the kernel is passed for the texture or surface at this place among the arguments.
constexpr std::uint64_t texture_handle(std::size_t argument) { return simt::first_texture_handle + argument; }

// Without its memory. Throws std::runtime_error if no texture can be like this.
simt::TextureObject object_from(const TextureDescription& description);

// Files of a request, by their places among its descriptors.
enum class ProgramFile : std::uint8_t { device, shared, marks, touched };
inline constexpr std::size_t program_files = 4;
inline constexpr std::size_t program_granularity = 16 * 1024;  // offsets in files are multiples of it, so that marks fill whole pages
// The least distance between two buffers. Their red zones lie there.
inline constexpr std::size_t program_gap = 4u << 20;
inline constexpr std::uintptr_t program_first = 0x2000'0000'0000, program_end = 0x3000'0000'0000;
inline constexpr std::size_t most_program_buffers = 1u << 14, most_program_variables = 1u << 12;
inline constexpr std::size_t least_heap_bytes = 1u << 20;
inline constexpr std::size_t program_printed_bytes = 1u << 20;  // as CUDA's buffer for it

struct ProgramBuffer {
  std::string name;            // in findings: of the parameter that points here
  std::uintptr_t address = 0;  // of its first byte; on a page of its own
  std::size_t bytes = 0;
  ProgramFile file = ProgramFile::device;  // device or shared
  std::size_t offset = 0, marks = 0;       // where its bytes and its marks begin
  std::string element = "byte";
  std::size_t element_bytes = 1;
  std::size_t named_from = 0;              // where the element of index 0 lies
  bool only_read = false;                  // no argument lets the kernel write there, and every byte has a value
  std::vector<std::uint32_t> texels = {};  // of an array: its extents in texels, slowest first
};

struct ProgramVariable {
  std::string symbol;      // its name in the symbol table
  std::size_t buffer = 0;  // index in ProgramMemory::buffers: where its value is kept between launches
  bool has_value = false;  // there; if not, the variable has its first value still
};

struct ProgramMemory {
  std::vector<ProgramBuffer> buffers;  // sorted by address
  std::vector<ProgramVariable> variables;
  std::optional<std::size_t> heap{};  // index of the buffer that holds what kernels allocate
  std::size_t heap_limit = 0;         // bytes that kernels may allocate at a time
  std::vector<ProgramTexture> textures{};
  bool follows_touches = false;  // the launch writes down which words it touches: others may run at the same time
};

// What a launch did with a buffer.
struct BufferUse {
  std::size_t buffer = 0;  // index in ProgramMemory::buffers
  simt::UsedRange read{}, written{};
  std::optional<simt::HostConflicts> host{};           // of a buffer that the host can reach
  std::shared_ptr<const simt::TouchedRuns> touched{};  // not in the message: read from the file; null: not known
};

// Reading throws nlohmann::json::exception if the JSON does not have the shape above.
void to_json(nlohmann::json&, const TextureDescription&);
void from_json(const nlohmann::json&, TextureDescription&);
void to_json(nlohmann::json&, const ProgramTexture&);
void from_json(const nlohmann::json&, ProgramTexture&);
void to_json(nlohmann::json&, const ProgramMemory&);
void from_json(const nlohmann::json&, ProgramMemory&);  // throws nlohmann::json::exception, also where buffers lie too close
void to_json(nlohmann::json&, const BufferUse&);
void from_json(const nlohmann::json&, BufferUse&);

}  // namespace tilelab::protocol
