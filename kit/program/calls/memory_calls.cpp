// The program's calls that make memory, arrays, textures and a launcher's operands.
#include "program/session.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include "program/memory/device_memory.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::program {

namespace {

// Memory begins or ends in the order of a stream: kernels in other streams need an order with that.
void note_whole(Session& session, const HostRequest& request, Allocation& one) {
  const std::uint64_t stream = request.number_or("stream", 0);
  if (!session.order.knows_stream(stream)) return;
  Use whole{session.order.submit(stream), 0, one.bytes, true, nullptr, request.at()};
  whole.graph = request.number_or("graph", 0);
  session.use(one, whole);
}

// A node of a graph allocates.
Reply revive(Session& session, const HostRequest& request) {
  const std::uint64_t address = request.number("address");
  Allocation* const one = session.memory.near(address);
  if (one == nullptr || one->address != address || !one->is_of_graph) throw BrokenRules("an allocation where nothing is reserved");
  if (one->is_live()) return session.fail("graph", CudaError::invalid_value, request.at());
  if (!session.memory.revive(*one)) return session.fail("graph", CudaError::memory_allocation, request.at());
  session.record.revived(*one);
  note_whole(session, request, *one);
  return {.value = {{"error", session.errors.sticky()}, {"address", address}}};
}

// As the program describes texels.
ChannelFormat channels_of(const HostRequest& request) {
  return {.bits = {request.number("bits_x"), request.number("bits_y"), request.number("bits_z"), request.number("bits_w")},
          .kind = request.number("format")};
}

Reply make_array(Session& session, const HostRequest& request) {
  const std::uint64_t at = request.at();
  const auto shape = ArrayShape::of({.channels = channels_of(request),
                                     .extent = {request.number("width"), request.number("height"), request.number("depth")},
                                     .flags = request.number("flags"),
                                     .levels = request.number("levels")});
  if (!shape) return session.fail("array", CudaError::invalid_value, at);
  Allocation* made = session.memory.allocate(shape->bytes(), MemoryKind::array, at);
  if (made == nullptr) return session.fail("array", CudaError::memory_allocation, at);
  made->shape = std::make_shared<const ArrayShape>(*shape);
  session.record.allocation(*made);
  return {.value = {{"error", 0}, {"address", made->address}, {"levels", shape->levels().size()}}};
}

Reply level_of(Session& session, const HostRequest& request, const Allocation& array) {
  const std::uint64_t number = request.number("level");
  if (!array.shape->is_mipmapped() || array.address != request.number("address") || number >= array.shape->levels().size())
    return session.fail("array", CudaError::invalid_value, request.at());
  return {.value = {{"error", 0}, {"address", array.address + array.shape->levels()[number].offset}}};
}

Reply info(Session& session, const HostRequest& request, const Allocation& array) {
  const ArrayShape& shape = *array.shape;
  const ArrayLevel* const level = shape.level_at(request.number("address") - array.address);
  if (level == nullptr) return session.fail("array", CudaError::invalid_handle, request.at());
  const ArrayRequest& asked = shape.request();
  const auto extent = [&](std::size_t d) { return asked.extent[d] == 0 ? 0 : level->extent[d]; };
  const auto& bits = asked.channels.bits;
  return {.value = {{"error", 0},
                    {"width", extent(0)},
                    {"height", extent(1)},
                    {"depth", extent(2)},
                    {"flags", asked.flags},
                    {"format", asked.channels.kind},
                    {"bits_x", bits[0]},
                    {"bits_y", bits[1]},
                    {"bits_z", bits[2]},
                    {"bits_w", bits[3]}}};
}

constexpr std::uint64_t pointer_alignment = 512, pitch_alignment = 32, most_linear = 1u << 28;  // a texture's; in bytes, bytes, texels
constexpr std::uint64_t most_width = 131072, most_height = 65000;                               // of rows with a pitch

float float_of(const HostRequest& request, const char* key) {
  const std::uint64_t bits = request.number(key);
  if (bits > 0xFFFF'FFFF) throw BrokenRules("a float of more than 32 bits");
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
}

const Allocation* memory_of(Session& session, const HostRequest& request, std::size_t bytes) {
  const std::uint64_t address = request.number("address");
  const Allocation* one = session.memory.near(address);
  if (one == session.memory.heap()) one = nullptr;  // no texture shows what kernels allocate
  nlohmann::json numbers = one != nullptr ? about(*one) : nlohmann::json::object();
  numbers["op"] = "texture";
  numbers["address"] = address;
  numbers["bytes"] = bytes;
  const auto mistake = [&](const char* kind) {
    session.record.host(kind, request.at(), std::move(numbers));
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
std::optional<CudaError> show_array(Session& session, const HostRequest& request, protocol::ProgramTexture& made) {
  const std::uint64_t address = request.number("address");
  const bool all_levels = request.number("resource") == 1;
  const Allocation* const one = memory_of(session, request, 0);
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
std::optional<CudaError> show_memory(Session& session, const HostRequest& request, protocol::ProgramTexture& made) {
  const auto format = format_of(channels_of(request));
  if (made.description.surface || !format) return CudaError::invalid_value;
  const bool has_rows = request.number("resource") == 3;
  const std::uint64_t texel = format->texel_bytes(), bytes = has_rows ? 0 : request.number("bytes");
  const std::uint64_t width = has_rows ? request.number("width") : bytes / texel, rows = has_rows ? request.number("height") : 1;
  const std::uint64_t pitch = has_rows ? request.number("pitch") : 0;
  if (width == 0 || rows == 0 || width > (has_rows ? most_width : most_linear) || rows > most_height) return CudaError::invalid_value;
  if (has_rows && (pitch % pitch_alignment != 0 || pitch < width * texel || pitch > most_linear)) return CudaError::invalid_value;
  if (memory_of(session, request, has_rows ? (rows - 1) * pitch + width * texel : bytes) == nullptr) return CudaError::invalid_value;
  made.address = request.number("address");
  if (made.address % pointer_alignment != 0) return CudaError::invalid_value;
  made.description.format = *format;
  made.description.extents = {static_cast<std::uint32_t>(width)};
  if (has_rows) made.description.extents.insert(made.description.extents.begin(), static_cast<std::uint32_t>(rows));
  made.description.pitch = pitch;
  return std::nullopt;
}

std::optional<CudaError> describe(const HostRequest& request, protocol::TextureDescription& description) {
  constexpr std::array keys{"address_x", "address_y", "address_z"};
  for (std::size_t axis = 0; axis < keys.size(); ++axis) {
    const std::uint64_t mode = request.number(keys[axis]);
    if (mode > 3) return CudaError::invalid_value;
    description.address[axis] = static_cast<simt::AddressMode>(mode);
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

Reply make_texture(Session& session, const HostRequest& request) {
  protocol::ProgramTexture made;
  const std::uint64_t kind = request.number("resource");
  if (kind > 3) throw BrokenRules("a resource of an unknown kind");
  made.description.surface = request.flag("surface");
  auto trouble = kind < 2 ? show_array(session, request, made) : show_memory(session, request, made);
  if (!trouble && !made.description.surface) trouble = describe(request, made.description);
  if (trouble) return session.fail("texture", *trouble, request.at());
  const auto handle = session.textures.add(std::move(made));
  if (!handle) return session.fail("texture", CudaError::memory_allocation, request.at());
  return {.value = {{"error", 0}, {"handle", *handle}}};
}

void load(const OperandDescription& operand, Allocation& place) {
  std::ifstream file(operand.content, std::ios::binary);
  file.read(place.content, static_cast<std::streamsize>(place.bytes));
  if (!file || file.peek() != std::ifstream::traits_type::eof())
    throw std::runtime_error(operand.content + " does not hold what the operand " + operand.name + " holds");
  mark_as_set(place.marks, 0, place.bytes);
  place.is_set = true;
}

// One byte for each byte: 0 unset, 1 set by the host, 2 written by a kernel.
std::string origins(const Allocation& one) {
  std::string all(one.bytes, '\0');
  for (std::size_t i = 0; i < one.bytes; ++i) all[i] = static_cast<char>(none_set(one.marks, i, 1) ? 0 : 1);
  for_each_written_by_kernel(one.marks, 0, one.bytes,
                             [&](std::size_t first, std::size_t bytes) { std::memset(all.data() + first, 2, bytes); });
  return all;
}

}  // namespace

Reply allocate(Session& session, const HostRequest& request) {
  const std::uint64_t bytes = request.number("bytes"), at = request.at();
  const MemoryKind kind = request.kind();
  if (kind == MemoryKind::array) throw BrokenRules("an array without a shape");
  if (bytes == 0) return {.value = {{"error", 0}, {"address", 0}}};
  if (request.has("address")) return revive(session, request);
  const bool is_reserved = request.flag("reserved");  // for a node of a graph
  Allocation* made = is_reserved ? session.memory.reserve(bytes, at) : session.memory.allocate(bytes, kind, at);
  if (made == nullptr) return session.fail("allocate", CudaError::memory_allocation, at);
  made->pitch = request.number_or("pitch", 0);
  made->row_bytes = request.number_or("row_bytes", 0);
  session.record.allocation(*made);
  if (request.has("stream")) note_whole(session, request, *made);
  Reply reply{.value = {{"error", 0}, {"address", made->address}}};
  if (kind == MemoryKind::device) return reply;
  reply.value["offset"] = made->offset;
  session.view.open(*made);
  reply.descriptors = {session.view.descriptor()};
  return reply;
}

Reply free_memory(Session& session, const HostRequest& request) {
  const std::uint64_t address = request.number("address"), at = request.at();
  const bool by_host_free = request.kind() == MemoryKind::pinned, of_array = request.kind() == MemoryKind::array;
  Reply reply = reply_of(session.errors.sticky());
  if (!request.flag("async")) {
    session.order.host_waits_for_all();
    reply = session.arrive(at);
  }
  if (address == 0) return reply;
  Allocation* one = session.memory.near(address);
  const bool fits = one != nullptr && one->address == address && one->kind != MemoryKind::variable && one->operand == nullptr &&
                    by_host_free == (one->kind == MemoryKind::pinned) && of_array == (one->kind == MemoryKind::array) &&
                    (!of_array || one->shape->is_mipmapped() == request.flag("mipmapped"));
  if (!fits || !one->is_live()) {
    if (session.errors.sticky() != 0) return reply_of(session.errors.sticky());
    nlohmann::json numbers = one != nullptr ? about(*one) : nlohmann::json::object();
    numbers["address"] = address;
    numbers["what"] = one == nullptr                 ? "host"
                      : one == session.memory.heap() ? "heap"
                      : one->operand != nullptr      ? "operand"
                      : one->address != address      ? "inside"
                                                     : "wrong-kind";
    numbers["memory"] = side_of(one);
    numbers["by_host_free"] = by_host_free;
    session.record.host(fits ? "double-free" : "bad-free", at, std::move(numbers));
    reply.value["error"] = session.errors.fail("free", CudaError::invalid_value, at);
    return reply;
  }
  reply.value["kind"] = side_of(one);
  if (request.flag("async")) note_whole(session, request, *one);
  look_for_left_out(session, *one);
  session.pending.forget(one->address);
  session.memory.release(*one, at);
  session.record.freed(*one);
  return reply;
}

void look_for_left_out(Session& session, const Allocation& one) {
  if (!one.is_untouched || one.writer.launches != 1 || one.writer.element_bytes == 0) return;
  UnsetElements unset{.element_bytes = one.writer.element_bytes};
  add_unset(unset, one, 0, one.bytes, true);
  const char* const first = one.content + unset.first * unset.element_bytes;
  const bool is_zero = std::all_of(first, first + unset.run * unset.element_bytes, [](char byte) { return byte == 0; });
  if (unset.count != 0 && is_zero) session.record.partly_set(one, one.writer.at, unset);
}

Reply pointer(Session& session, const HostRequest& request) {
  const std::uint64_t address = request.number("address");
  Allocation* one = session.memory.containing(address);
  if (one == nullptr || !one->is_live()) return {.value = {{"error", 0}, {"kind", "host"}, {"base", 0}, {"bytes", 0}}};
  return {.value = {{"error", 0}, {"kind", side_of(one)}, {"base", one->address}, {"bytes", one->bytes}}};
}

Reply array(Session& session, const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  if (what == "create") return make_array(session, request);
  if (what != "level" && what != "info") throw BrokenRules("an unknown call of arrays");
  const Allocation* one = session.memory.near(request.number("address"));
  if (one == nullptr || !one->shape) return session.fail("array", CudaError::invalid_handle, request.at());
  if (!one->is_live()) {
    session.record.host("use-after-free", request.at(), about(*one));
    return session.fail("array", CudaError::invalid_handle, request.at());
  }
  return what == "level" ? level_of(session, request, *one) : info(session, request, *one);
}

Reply texture(Session& session, const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  if (what == "create") return make_texture(session, request);
  if (what != "destroy") throw BrokenRules("an unknown call of textures");
  const std::uint64_t handle = request.number("handle");
  const protocol::ProgramTexture* const made = session.textures.find(handle);
  if (made == nullptr || made->description.surface != request.flag("surface"))
    return session.fail("texture", CudaError::invalid_value, request.at());
  session.textures.destroy(handle);
  return reply_of(session.errors.sticky());
}

void place_operands(Session& session) {
  for (const OperandDescription& operand : session.description.operands) {
    if (operand.is_scalar || operand.bytes == 0) {
      session.operands.push_back(nullptr);
      continue;
    }
    Allocation* place = session.memory.allocate(operand.bytes, operand.on_host ? MemoryKind::pinned : MemoryKind::device, 0);
    if (place == nullptr) throw std::runtime_error("there is no room for the operand " + operand.name);
    place->operand = &operand.name;
    place->is_input = operand.is_input;
    place->is_for_host = operand.for_host;
    if (!operand.content.empty()) load(operand, *place);
    session.view.open(*place);
    session.record.allocation(*place, operand.name);
    session.operands.push_back(place);
  }
}

Reply operands(Session& session, const HostRequest& request) {
  const auto& all = session.description.operands;
  if (request.number("count") != all.size()) {
    session.record.end("internal", {{"detail", "the launcher has another number of parameters than the lab's problem has operands"}});
    throw RunOver("a launcher with other parameters");
  }
  Reply reply = reply_of(0);
  nlohmann::json& list = reply.value["operands"] = nlohmann::json::array();
  bool has_host_memory = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (session.operands[i] == nullptr) {
      list.push_back({{"value", all[i].value}, {"address", 0}});
      continue;
    }
    list.push_back({{"address", session.operands[i]->address}, {"bytes", session.operands[i]->bytes}});
    if (!all[i].on_host) continue;
    list.back()["offset"] = session.operands[i]->offset;
    has_host_memory = true;
  }
  if (has_host_memory) reply.descriptors = {session.view.descriptor()};
  return reply;
}

void finish(Session& session, const HostRequest& request) {
  session.order.host_waits_for_all();
  if (session.plan) {
    const std::string text = json_text(session.plan->whole(session.memory, session.variables));
    write_file(session.description.plan, text.data(), text.size());
    return session.record.end("finished", nlohmann::json::object());
  }
  const Reply waited = session.arrive(request.at());
  session.view.take_in_all(request.at());
  for (std::size_t i = 0; i < session.operands.size(); ++i) {
    const OperandDescription& operand = session.description.operands[i];
    const std::string marks = session.operands[i] != nullptr ? origins(*session.operands[i]) : std::string();
    if (!operand.keep.empty()) write_file(operand.keep, session.operands[i] != nullptr ? session.operands[i]->content : "", marks.size());
    if (!operand.marks.empty()) write_file(operand.marks, marks.data(), marks.size());
  }
  session.record.end("finished",
                     waited.value.contains("printed") ? nlohmann::json{{"printed", waited.value["printed"]}} : nlohmann::json::object());
}

}  // namespace tilelab::program
