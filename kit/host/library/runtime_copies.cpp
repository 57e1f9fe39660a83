// Implements what runtime_memory.hpp declares about copies. The broker says which side of a copy is the host's; its bytes go through the
// staging memory.
#include "host/runtime_memory.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "host/graphs/stream_capture.hpp"
#include "host/library/fault_watch.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

namespace {

// A copy that is longer than the host's block.
void note_room(std::uintptr_t address, std::size_t bytes, const char* side, const Call& call) {
  const std::optional<std::size_t> room = room_at(address);
  if (room && bytes > *room)
    (void)request("note", call, {{"kind", "copy-size"}, {"address", address}, {"bytes", bytes}, {"room", *room}, {"side", side}});
}

// The copy, or a node of a graph where its stream is captured.
cudaError_t copy_or_capture(const cudaMemcpy3DParms& what, CopyOrder order, const Call& call) {
  const auto captured = capture_copy(order, call, [&](Work& work) { return copy_work(&what, work, call); });
  return captured ? *captured : copy_slices(what, order, call);
}

cudaError_t copy_line(void* to, const void* from, std::size_t bytes, CopyOrder order, const Call& call) {
  return copy_or_capture(copy_params(to, bytes, from, bytes, 1, bytes, order.kind), order, call);
}

cudaError_t fill(void* to, std::size_t pitch, int value, std::size_t rows, std::size_t row_bytes, const CopyOrder& order,
                 const Call& call) {
  const cudaMemsetParams what{to, pitch, static_cast<unsigned char>(value), 1, row_bytes, rows};
  const auto captured = capture_copy(order, call, [&](Work& work) { return fill_work(&what, work, call); });
  return captured ? *captured : fill_rows(what, order, call);
}

// An offset behind the variable's end is found as any copy out of bounds.
cudaError_t copy_symbol(const void* symbol, void* to, const void* from, std::size_t bytes, std::size_t offset, CopyOrder order,
                        const Call& call) {
  void* place = nullptr;
  if (const cudaError_t error = address_of_variable(symbol, &place, call); error != cudaSuccess) return error;
  char* there = static_cast<char*>(place) + offset;
  return to ? copy_line(to, there, bytes, order, call) : copy_line(there, from, bytes, order, call);
}

}  // namespace

cudaError_t tilelab_host::copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows,
                                    std::size_t row_bytes, CopyOrder order, const Call& call) {
  if (rows > 1 && to_pitch == row_bytes && from_pitch == row_bytes && row_bytes <= SIZE_MAX / rows)  // one line of bytes
    return copy_rows(to, rows * row_bytes, from, rows * row_bytes, 1, rows * row_bytes, order, call);
  return copy_sides({to, to_pitch, {}}, {from, from_pitch, {}}, {rows, row_bytes}, order, call);
}

cudaError_t tilelab_copy_of_container(const void* object, std::size_t object_bytes, std::size_t bytes, bool reads) {
  (void)request("note", TILELAB_CALL,
                {{"kind", "copy-size"},
                 {"address", number_of(object)},
                 {"bytes", bytes},
                 {"room", object_bytes},
                 {"value", object_bytes},
                 {"side", reads ? "from" : "to"}});
  return cudaErrorInvalidValue;
}

cudaError_t tilelab_host::copy_sides(const CopySide& to, const CopySide& from, const CopyExtent& extent, CopyOrder order,
                                     const Call& call) {
  const auto [rows, row_bytes, slices, is_line] = extent;
  json request = {{"to", number_of(to.address)},
                  {"from", number_of(from.address)},
                  {"rows", rows},
                  {"row_bytes", row_bytes},
                  {"to_pitch", to.pitch},
                  {"from_pitch", from.pitch},
                  {"kind", static_cast<int>(order.kind)},
                  {"stream", number_of(order.stream)},
                  {"async", order.async}};
  if (to.in_array) request.update({{"to_x", to.in_array->x}, {"to_y", to.in_array->y}, {"to_z", to.in_array->z}});
  if (from.in_array) request.update({{"from_x", from.in_array->x}, {"from_y", from.in_array->y}, {"from_z", from.in_array->z}});
  if (to.in_array || from.in_array) request.update({{"slices", slices}, {"line", is_line}});
  const auto is_hosts = [](const CopySide& one) { return !one.in_array && !is_device(one.address) && !is_shared_with_device(one.address); };
  const bool to_host = is_hosts(to), from_host = is_hosts(from);
  const bool is_known = call.graph != 0;  // it was looked at when the node was made
  if (to_host && rows > 0 && !is_known) note_room(number_of(to.address), (rows - 1) * to.pitch + row_bytes, "to", call);
  if (from_host && rows > 0 && !is_known) note_room(number_of(from.address), (rows - 1) * from.pitch + row_bytes, "from", call);
  const CopySide& host = to_host ? to : from;
  const Reply reply = move("copy", call, std::move(request), {number_of(host.address), rows, row_bytes, host.pitch});
  if (reply.error() == cudaSuccess && !call.is_planned && reply.fields.value("direction", std::string()) == "host")
    for (std::size_t row = 0; row < rows; ++row)
      std::memmove(static_cast<char*>(const_cast<void*>(to.address)) + row * to.pitch,
                   static_cast<const char*>(from.address) + row * from.pitch, row_bytes);
  return reply.error();
}

cudaError_t tilelab_host::copy_slices(const cudaMemcpy3DParms& what, CopyOrder order, const Call& call) {
  if (what.srcArray || what.dstArray) return copy_with_arrays(what, order, call);
  const auto first = [](const cudaPitchedPtr& one, const cudaPos& place) {
    return static_cast<char*>(one.ptr) + (place.z * one.ysize + place.y) * one.pitch + place.x;
  };
  for (std::size_t slice = 0; slice < what.extent.depth; ++slice) {
    char* to = first(what.dstPtr, what.dstPos) + slice * what.dstPtr.ysize * what.dstPtr.pitch;
    const char* from = first(what.srcPtr, what.srcPos) + slice * what.srcPtr.ysize * what.srcPtr.pitch;
    const cudaError_t error = copy_rows(to, what.dstPtr.pitch, from, what.srcPtr.pitch, what.extent.height, what.extent.width, order, call);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t tilelab_host::fill_rows(const cudaMemsetParams& what, CopyOrder order, const Call& call) {
  return request("fill", call,
                 {{"to", number_of(what.dst)},
                  {"value", what.value},
                  {"width", what.elementSize},
                  {"rows", what.height},
                  {"row_bytes", what.width * what.elementSize},
                  {"pitch", what.pitch},
                  {"stream", number_of(order.stream)},
                  {"async", order.async}});
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_line(to, from, bytes, {kind}, TILELAB_CALL);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_line(to, from, bytes, {kind, stream, true}, TILELAB_CALL);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                         cudaMemcpyKind kind) {
  return copy_or_capture(copy_params(to, to_pitch, from, from_pitch, height, width, kind), {kind}, TILELAB_CALL);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_or_capture(copy_params(to, to_pitch, from, from_pitch, height, width, kind), {kind, stream, true}, TILELAB_CALL);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* what) {
  return what ? copy_or_capture(*what, {what->kind}, TILELAB_CALL) : refuse(TILELAB_CALL);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t stream) {
  return what ? copy_or_capture(*what, {what->kind, stream, true}, TILELAB_CALL) : refuse(TILELAB_CALL);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
  return copy_line(to, from, bytes, {cudaMemcpyDeviceToDevice}, TILELAB_CALL);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
  return copy_line(to, from, bytes, {cudaMemcpyDeviceToDevice, stream, true}, TILELAB_CALL);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) { return fill(to, bytes, value, 1, bytes, {}, TILELAB_CALL); }
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return fill(to, bytes, value, 1, bytes, {cudaMemcpyDefault, stream, true}, TILELAB_CALL);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill(to, pitch, value, height, width, {}, TILELAB_CALL);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t stream) {
  return fill(to, pitch, value, height, width, {cudaMemcpyDefault, stream, true}, TILELAB_CALL);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol(symbol, nullptr, from, bytes, offset, {kind}, TILELAB_CALL);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  if (!to) return refuse(TILELAB_CALL);
  return copy_symbol(symbol, to, nullptr, bytes, offset, {kind}, TILELAB_CALL);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream) {
  return copy_symbol(symbol, nullptr, from, bytes, offset, {kind, stream, true}, TILELAB_CALL);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  if (!to) return refuse(TILELAB_CALL);
  return copy_symbol(symbol, to, nullptr, bytes, offset, {kind, stream, true}, TILELAB_CALL);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) { return address_of_variable(symbol, pointer, TILELAB_CALL); }
