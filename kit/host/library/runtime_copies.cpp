// Implements what runtime_memory.hpp declares about copies. The conductor says which side of a copy is the host's; its bytes go through the
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
void note_room(std::uintptr_t address, std::size_t bytes, const char* side, std::uintptr_t at) {
  const std::optional<std::size_t> room = room_at(address);
  if (room && bytes > *room)
    (void)Session::open().call(
        {{"op", "note"}, {"kind", "copy-size"}, {"address", address}, {"bytes", bytes}, {"room", *room}, {"side", side}, {"at", at}});
}

void add_graph(json& request, const CopyOrder& order) {
  if (order.graph != 0) request["graph"] = order.graph;
  if (order.planned_by != nullptr) request["planned_by"] = order.planned_by;
}

// The copy, or a node of a graph where its stream is captured.
cudaError_t copy_or_capture(const cudaMemcpy3DParms& what, CopyOrder order, const char* call, std::uintptr_t at) {
  if (!order.async) {
    if (const auto refused = wait_in_capture(nullptr, call, at)) return *refused;
    return copy_slices(what, order, at);
  }
  const auto captured = capture(order.stream, call, at, [&](Work& work) { return copy_work(&what, work, call, at); });
  return captured ? *captured : copy_slices(what, order, at);
}

cudaError_t copy_line(void* to, const void* from, std::size_t bytes, CopyOrder order, const char* call, std::uintptr_t at) {
  return copy_or_capture(copy_params(to, bytes, from, bytes, 1, bytes, order.kind), order, call, at);
}

cudaError_t copy_plane(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows, std::size_t row_bytes,
                       CopyOrder order, const char* call, std::uintptr_t at) {
  return copy_or_capture(copy_params(to, to_pitch, from, from_pitch, rows, row_bytes, order.kind), order, call, at);
}

cudaError_t copy_space(const cudaMemcpy3DParms* what, CopyOrder order, const char* call, std::uintptr_t at) {
  if (!what) return Session::open().raise(cudaErrorInvalidValue, call, at);
  order.kind = what->kind;
  return copy_or_capture(*what, order, call, at);
}

cudaError_t fill_or_capture(const cudaMemsetParams& what, CopyOrder order, const char* call, std::uintptr_t at) {
  if (!order.async) {
    if (const auto refused = use_of_legacy_stream(call, at)) return *refused;
    return fill_rows(what, order, at);
  }
  const auto captured = capture(order.stream, call, at, [&](Work& work) { return fill_work(&what, work, call, at); });
  return captured ? *captured : fill_rows(what, order, at);
}

cudaError_t fill(void* to, std::size_t pitch, int value, std::size_t rows, std::size_t row_bytes, cudaStream_t stream, bool async,
                 const char* call, std::uintptr_t at) {
  return fill_or_capture({to, pitch, static_cast<unsigned char>(value), 1, row_bytes, rows}, {cudaMemcpyDefault, stream, async}, call, at);
}

// An offset behind the variable's end is found as any copy out of bounds.
cudaError_t copy_symbol(const void* symbol, void* to, const void* from, std::size_t bytes, std::size_t offset, CopyOrder order,
                        const char* call, std::uintptr_t at) {
  void* place = nullptr;
  if (const cudaError_t error = address_of_variable(symbol, &place, call, at); error != cudaSuccess) return error;
  char* there = static_cast<char*>(place) + offset;
  return to ? copy_line(to, there, bytes, order, call, at) : copy_line(there, from, bytes, order, call, at);
}

}  // namespace

cudaError_t tilelab_host::copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t rows,
                                    std::size_t row_bytes, CopyOrder order, std::uintptr_t at) {
  if (rows > 1 && to_pitch == row_bytes && from_pitch == row_bytes && row_bytes <= SIZE_MAX / rows)  // one line of bytes
    return copy_rows(to, rows * row_bytes, from, rows * row_bytes, 1, rows * row_bytes, order, at);
  return copy_sides({to, to_pitch, {}}, {from, from_pitch, {}}, {rows, row_bytes}, order, at);
}

cudaError_t tilelab_copy_of_container(const void* object, std::size_t object_bytes, std::size_t bytes, bool reads) {
  const std::uintptr_t at = TILELAB_AT;
  const char* const side = reads ? "from" : "to";
  (void)Session::open().call({{"op", "note"},
                              {"kind", "copy-size"},
                              {"address", number_of(object)},
                              {"bytes", bytes},
                              {"room", object_bytes},
                              {"value", object_bytes},
                              {"side", side},
                              {"at", at}});
  return cudaErrorInvalidValue;
}

cudaError_t tilelab_host::copy_sides(const CopySide& to, const CopySide& from, const CopyExtent& extent, CopyOrder order,
                                     std::uintptr_t at) {
  const auto [rows, row_bytes, slices, is_line] = extent;
  json request = {{"op", "copy"},
                  {"to", number_of(to.address)},
                  {"from", number_of(from.address)},
                  {"rows", rows},
                  {"row_bytes", row_bytes},
                  {"to_pitch", to.pitch},
                  {"from_pitch", from.pitch},
                  {"kind", static_cast<int>(order.kind)},
                  {"stream", number_of(order.stream)},
                  {"async", order.async},
                  {"at", at}};
  if (to.in_array) request.update({{"to_x", to.in_array->x}, {"to_y", to.in_array->y}, {"to_z", to.in_array->z}});
  if (from.in_array) request.update({{"from_x", from.in_array->x}, {"from_y", from.in_array->y}, {"from_z", from.in_array->z}});
  if (to.in_array || from.in_array) request.update({{"slices", slices}, {"line", is_line}});
  const auto is_hosts = [](const CopySide& one) { return !one.in_array && !is_device(one.address) && !is_shared_with_device(one.address); };
  const bool to_host = is_hosts(to), from_host = is_hosts(from);
  const bool is_known = order.graph != 0;  // it was looked at when the node was made
  if (to_host && rows > 0 && !is_known) note_room(number_of(to.address), (rows - 1) * to.pitch + row_bytes, "to", at);
  if (from_host && rows > 0 && !is_known) note_room(number_of(from.address), (rows - 1) * from.pitch + row_bytes, "from", at);
  add_graph(request, order);
  const CopySide& host = to_host ? to : from;
  const Reply reply = Session::open().move(request, {number_of(host.address), rows, row_bytes, host.pitch});
  if (reply.error() == cudaSuccess && !order.planned_by && reply.fields.value("direction", std::string()) == "host")
    for (std::size_t row = 0; row < rows; ++row)
      std::memmove(static_cast<char*>(const_cast<void*>(to.address)) + row * to.pitch,
                   static_cast<const char*>(from.address) + row * from.pitch, row_bytes);
  return reply.error();
}

cudaError_t tilelab_host::copy_slices(const cudaMemcpy3DParms& what, CopyOrder order, std::uintptr_t at) {
  if (what.srcArray || what.dstArray) return copy_with_arrays(what, order, at);
  const auto first = [](const cudaPitchedPtr& one, const cudaPos& place) {
    return static_cast<char*>(one.ptr) + (place.z * one.ysize + place.y) * one.pitch + place.x;
  };
  for (std::size_t slice = 0; slice < what.extent.depth; ++slice) {
    char* to = first(what.dstPtr, what.dstPos) + slice * what.dstPtr.ysize * what.dstPtr.pitch;
    const char* from = first(what.srcPtr, what.srcPos) + slice * what.srcPtr.ysize * what.srcPtr.pitch;
    const cudaError_t error = copy_rows(to, what.dstPtr.pitch, from, what.srcPtr.pitch, what.extent.height, what.extent.width, order, at);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t tilelab_host::fill_rows(const cudaMemsetParams& what, CopyOrder order, std::uintptr_t at) {
  json request = {{"op", "fill"},         {"to", number_of(what.dst)},
                  {"value", what.value},  {"width", what.elementSize},
                  {"rows", what.height},  {"row_bytes", what.width * what.elementSize},
                  {"pitch", what.pitch},  {"stream", number_of(order.stream)},
                  {"async", order.async}, {"at", at}};
  add_graph(request, order);
  return Session::open().call(request);
}

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_line(to, from, bytes, {kind}, "cudaMemcpy", TILELAB_AT);
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_line(to, from, bytes, {kind, stream, true}, "cudaMemcpyAsync", TILELAB_AT);
}
cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height,
                         cudaMemcpyKind kind) {
  return copy_plane(to, to_pitch, from, from_pitch, height, width, {kind}, "cudaMemcpy2D", TILELAB_AT);
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                              std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_plane(to, to_pitch, from, from_pitch, height, width, {kind, stream, true}, "cudaMemcpy2DAsync", TILELAB_AT);
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* what) { return copy_space(what, {}, "cudaMemcpy3D", TILELAB_AT); }
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* what, cudaStream_t stream) {
  return copy_space(what, {cudaMemcpyDefault, stream, true}, "cudaMemcpy3DAsync", TILELAB_AT);
}
cudaError_t cudaMemcpyPeer(void* to, int to_device, const void* from, int from_device, std::size_t bytes) {
  if (to_device != 0 || from_device != 0) return Session::open().raise(cudaErrorInvalidDevice, "cudaMemcpyPeer", TILELAB_AT);
  return copy_line(to, from, bytes, {cudaMemcpyDeviceToDevice}, "cudaMemcpyPeer", TILELAB_AT);
}
cudaError_t cudaMemcpyPeerAsync(void* to, int to_device, const void* from, int from_device, std::size_t bytes, cudaStream_t stream) {
  if (to_device != 0 || from_device != 0) return Session::open().raise(cudaErrorInvalidDevice, "cudaMemcpyPeerAsync", TILELAB_AT);
  return copy_line(to, from, bytes, {cudaMemcpyDeviceToDevice, stream, true}, "cudaMemcpyPeerAsync", TILELAB_AT);
}

cudaError_t cudaMemset(void* to, int value, std::size_t bytes) {
  return fill(to, bytes, value, 1, bytes, nullptr, false, "cudaMemset", TILELAB_AT);
}
cudaError_t cudaMemsetAsync(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  return fill(to, bytes, value, 1, bytes, stream, true, "cudaMemsetAsync", TILELAB_AT);
}
cudaError_t cudaMemset2D(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  return fill(to, pitch, value, height, width, nullptr, false, "cudaMemset2D", TILELAB_AT);
}
cudaError_t cudaMemset2DAsync(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height, cudaStream_t stream) {
  return fill(to, pitch, value, height, width, stream, true, "cudaMemset2DAsync", TILELAB_AT);
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  return copy_symbol(symbol, nullptr, from, bytes, offset, {kind}, "cudaMemcpyToSymbol", TILELAB_AT);
}
cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind) {
  if (!to) return Session::open().raise(cudaErrorInvalidValue, "cudaMemcpyFromSymbol", TILELAB_AT);
  return copy_symbol(symbol, to, nullptr, bytes, offset, {kind}, "cudaMemcpyFromSymbol", TILELAB_AT);
}
cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                    cudaStream_t stream) {
  return copy_symbol(symbol, nullptr, from, bytes, offset, {kind, stream, true}, "cudaMemcpyToSymbolAsync", TILELAB_AT);
}
cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  if (!to) return Session::open().raise(cudaErrorInvalidValue, "cudaMemcpyFromSymbolAsync", TILELAB_AT);
  return copy_symbol(symbol, to, nullptr, bytes, offset, {kind, stream, true}, "cudaMemcpyFromSymbolAsync", TILELAB_AT);
}
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) {
  return address_of_variable(symbol, pointer, "cudaGetSymbolAddress", TILELAB_AT);
}
