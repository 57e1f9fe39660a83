#include "program/calls/texture_calls.hpp"

#include <bit>
#include <utility>

#include "program/calls/array_calls.hpp"

namespace tilelab::program {
namespace {

constexpr std::uint64_t pointer_alignment = 512, pitch_alignment = 32, most_linear = 1u << 28;  // a texture's; in bytes, bytes, texels
constexpr std::uint64_t most_width = 131072, most_height = 65000;                               // of rows with a pitch

float float_of(const HostRequest& request, const char* key) {
  const std::uint64_t bits = request.number(key);
  if (bits > 0xFFFF'FFFF) throw BrokenRules("a float of more than 32 bits");
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

}  // namespace

Reply TextureCalls::texture(const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  if (what == "create") return create(request);
  if (what != "destroy") throw BrokenRules("an unknown call of textures");
  const std::uint64_t handle = request.number("handle");
  const protocol::ProgramTexture* const made = session_.textures.find(handle);
  if (made == nullptr || made->description.surface != request.flag("surface"))
    return session_.fail("texture", CudaError::invalid_value, request.at());
  session_.textures.destroy(handle);
  return reply_of(session_.errors.sticky());
}

Reply TextureCalls::create(const HostRequest& request) {
  protocol::ProgramTexture made;
  const std::uint64_t kind = request.number("resource");
  if (kind > 3) throw BrokenRules("a resource of an unknown kind");
  made.description.surface = request.flag("surface");
  auto trouble = kind < 2 ? show_array(request, made) : show_memory(request, made);
  if (!trouble && !made.description.surface) trouble = describe(request, made.description);
  if (trouble) return session_.fail("texture", *trouble, request.at());
  if (made.description.address.empty()) made.description.address.assign(3, simt::AddressMode::clamp);
  const auto handle = session_.textures.add(std::move(made));
  if (!handle) return session_.fail("texture", CudaError::memory_allocation, request.at());
  return {.value = {{"error", 0}, {"handle", *handle}}};
}

const Allocation* TextureCalls::memory_of(const HostRequest& request, std::size_t bytes) {
  const std::uint64_t address = request.number("address");
  const Allocation* one = session_.memory.near(address);
  if (one == session_.memory.heap()) one = nullptr;  // no texture shows what kernels allocate
  nlohmann::json numbers = one != nullptr ? about(*one) : nlohmann::json::object();
  numbers["op"] = "texture";
  numbers["address"] = address;
  numbers["bytes"] = bytes;
  const auto mistake = [&](const char* kind) {
    session_.record.host(kind, request.at(), std::move(numbers));
    return nullptr;
  };
  if (address < device_first || address >= memory_end) return mistake("host-pointer-on-device");
  if (one == nullptr) return nullptr;
  if (!one->is_live()) return mistake("use-after-free");
  const std::size_t from = address - one->address, room = from < one->bytes ? one->bytes - from : 0;
  numbers["offset"] = from;
  numbers["room"] = room;
  return bytes <= room ? one : mistake("copy-size");
}

// Kinds 0 and 1: an array, a mipmapped array.
std::optional<CudaError> TextureCalls::show_array(const HostRequest& request, protocol::ProgramTexture& made) {
  const std::uint64_t address = request.number("address");
  const bool all_levels = request.number("resource") == 1;
  const Allocation* const one = memory_of(request, 0);
  if (one == nullptr || !one->shape) return CudaError::invalid_value;
  const ArrayShape& shape = *one->shape;
  const ArrayLevel* const level = all_levels ? &shape.levels().front() : shape.level_at(address - one->address);
  if (level == nullptr || (all_levels && (!shape.is_mipmapped() || address != one->address))) return CudaError::invalid_value;
  protocol::TextureDescription& description = made.description;
  if (description.surface && (all_levels || !shape.has(ArrayShape::surface))) return CudaError::invalid_value;
  made.address = one->address + level->offset;
  description.extents = shape.texels(*level);
  description.layers = shape.layers();
  description.cube = shape.has(ArrayShape::cubemap);
  description.format = shape.format();
  if (all_levels) description.levels = static_cast<std::uint32_t>(shape.levels().size());
  return std::nullopt;
}

// Kinds 2 and 3: a line of texels, rows of texels.
std::optional<CudaError> TextureCalls::show_memory(const HostRequest& request, protocol::ProgramTexture& made) {
  const auto format = format_of(channels_of(request));
  if (made.description.surface || !format) return CudaError::invalid_value;
  const bool has_rows = request.number("resource") == 3;
  const std::uint64_t texel = format->texel_bytes(), bytes = has_rows ? 0 : request.number("bytes");
  const std::uint64_t width = has_rows ? request.number("width") : bytes / texel, rows = has_rows ? request.number("height") : 1;
  const std::uint64_t pitch = has_rows ? request.number("pitch") : 0;
  if (width == 0 || rows == 0 || width > (has_rows ? most_width : most_linear) || rows > most_height) return CudaError::invalid_value;
  if (has_rows && (pitch % pitch_alignment != 0 || pitch < width * texel || pitch > most_linear)) return CudaError::invalid_value;
  if (memory_of(request, has_rows ? (rows - 1) * pitch + width * texel : bytes) == nullptr) return CudaError::invalid_value;
  made.address = request.number("address");
  if (made.address % pointer_alignment != 0) return CudaError::invalid_value;
  made.description.format = *format;
  made.description.extents = {static_cast<std::uint32_t>(width)};
  if (has_rows) made.description.extents.insert(made.description.extents.begin(), static_cast<std::uint32_t>(rows));
  made.description.pitch = pitch;
  return std::nullopt;
}

std::optional<CudaError> TextureCalls::describe(const HostRequest& request, protocol::TextureDescription& description) {
  for (const char* key : {"address_x", "address_y", "address_z"}) {
    const std::uint64_t mode = request.number(key);
    if (mode > 3) return CudaError::invalid_value;
    description.address.push_back(static_cast<simt::AddressMode>(mode));
  }
  const bool small = description.format.bytes <= 2;
  const bool is_float = description.format.kind == simt::TexelKind::floating;
  description.normalized = request.flag("normalized");
  description.as_float = request.flag("as_float") && small && !is_float;
  description.linear = request.flag("linear");
  if (description.linear && !is_float && !description.as_float) return CudaError::invalid_filter;
  description.border = {float_of(request, "border_x"), float_of(request, "border_y"), float_of(request, "border_z"),
                        float_of(request, "border_w")};
  if (description.levels == 1) return std::nullopt;
  description.blends_levels = request.flag("blends_levels");
  description.level_bias = float_of(request, "level_bias");
  description.least_level = float_of(request, "least_level");
  description.most_level = float_of(request, "most_level");
  return std::nullopt;
}

}  // namespace tilelab::program
