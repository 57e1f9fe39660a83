// Implements runtime_memory.hpp. The broker says which side of a copy is the host's; its bytes go through the staging memory.
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "host/graphs/graph.hpp"
#include "host/library/fault_watch.hpp"
#include "host/library/host_session.hpp"
#include "host/runtime_graphs.hpp"
#include "host/runtime_memory.hpp"

using namespace tilelab_host;

namespace {

constexpr std::size_t row_alignment = 512;  // bytes; a GPU of this kind aligns rows so

// The sizes of what is mapped here, by address, in whole pages.
std::mutex mapped_mutex;
std::map<std::uintptr_t, std::size_t> mapped;

cudaError_t allocate(void** pointer, std::size_t bytes, const char* kind, const Call& call, json asked = json::object()) {
  if (!pointer) return refuse(call);
  if (const auto refused = unsafe_in_capture(call)) return *refused;
  asked.update({{"bytes", bytes}, {"kind", kind}});
  Reply reply = ask("allocate", call, std::move(asked));
  if (reply.error() != cudaSuccess) return reply.error();
  const auto address = reply.fields.value("address", std::uintptr_t{0});
  if (!reply.descriptors.empty() && address >= device_end && address < shared_end) {
    const std::size_t size = map_shared(address, bytes, reply, reply.fields);
    if (size == 0) {
      (void)request("free", call, {{"address", address}, {"kind", kind}});
      return refuse(call, cudaErrorMemoryAllocation);
    }
    const std::lock_guard lock(mapped_mutex);
    mapped[address] = size;
  }
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t release(void* pointer, const char* kind, const Call& call) {
  if (const auto refused = unsafe_in_capture(call)) return *refused;
  const cudaError_t error = request("free", call, {{"address", number_of(pointer)}, {"kind", kind}});
  if (error == cudaSuccess) note_freed_graph_memory(pointer);
  const std::lock_guard lock(mapped_mutex);
  if (const auto one = mapped.find(number_of(pointer)); error == cudaSuccess && one != mapped.end()) {
    ::munmap(pointer, one->second);
    mapped.erase(one);
  }
  return error;
}

const cudaMemPool_t devices_pool = reinterpret_cast<cudaMemPool_t>(&mapped);  // a handle that is not null

// A hint for memory that is not managed is an error.
cudaError_t hint(const void* pointer, const Call& call) { return is_shared_with_device(pointer) ? cudaSuccess : refuse(call); }

// A copy that is longer than the host's block.
void note_room(std::uintptr_t address, std::size_t bytes, const char* side, const Call& call) {
  const std::optional<std::size_t> room = room_at(address);
  if (room && bytes > *room)
    (void)request("note", call, {{"kind", "copy-size"}, {"address", address}, {"bytes", bytes}, {"room", *room}, {"side", side}});
}

cudaError_t fill(void* to, std::size_t pitch, int value, std::size_t rows, std::size_t row_bytes, const CopyOrder& order,
                 const Call& call) {
  const cudaMemsetParams what{to, pitch, static_cast<unsigned char>(value), 1, row_bytes, rows};
  const auto captured = capture_copy(order, call, [&](Work& work) { return fill_work(&what, work, call); });
  return captured ? *captured : fill_rows(what, order, call);
}

cudaError_t copy_volume(const cudaMemcpy3DParms* what, CopyOrder order, const Call& call) {
  Copy copy;
  const cudaError_t error = read_copy(what, copy, call);
  return error == cudaSuccess ? copy_or_capture(copy, order, call) : error;
}

// An offset behind the variable's end is found as any copy out of bounds.
cudaError_t copy_symbol(const void* symbol, void* to, const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind,
                        CopyOrder order, const Call& call) {
  void* place = nullptr;
  if (const cudaError_t error = address_of_variable(symbol, &place, call); error != cudaSuccess) return error;
  char* there = static_cast<char*>(place) + offset;
  return copy_or_capture(to ? line_copy(to, there, bytes, kind) : line_copy(there, from, bytes, kind), order, call);
}

bool is_hosts(const CopySide& one) { return !one.in_array && !is_device(one.address) && !is_shared_with_device(one.address); }

// One slice, of which the side is told: `key` is "to" or "from".
void describe_side(json& request, const std::string& key, const CopySide& side, std::size_t slice) {
  request[key] = number_of(side.address) + (side.in_array ? 0 : slice * side.slice_bytes);
  request[key + "_pitch"] = side.pitch;
  if (side.in_array)
    request.update({{key + "_x", side.in_array->x}, {key + "_y", side.in_array->y}, {key + "_z", side.in_array->z + slice}});
}

cudaError_t copy_slice(const Copy& copy, std::size_t slice, CopyOrder order, const Call& call) {
  const auto& [to, from, rows, row_bytes, slices, kind, is_line] = copy;
  json request = {{"rows", rows},
                  {"row_bytes", row_bytes},
                  {"kind", static_cast<int>(kind)},
                  {"stream", number_of(order.stream)},
                  {"async", order.async}};
  describe_side(request, "to", to, slice);
  describe_side(request, "from", from, slice);
  if (to.in_array || from.in_array) request.update({{"slices", slices - slice}, {"line", is_line}});
  for (const auto& [key, side] : {std::pair("to", &to), std::pair("from", &from)}) {
    const bool is_known = call.graph != 0;  // it was looked at when the node was made
    if (is_hosts(*side) && rows > 0 && !is_known) note_room(request[key], (rows - 1) * side->pitch + row_bytes, key, call);
  }
  const std::uintptr_t there = request["to"], here = request["from"];
  const Reply reply =
      move("copy", call, std::move(request), {is_hosts(to) ? there : here, rows, row_bytes, is_hosts(to) ? to.pitch : from.pitch});
  if (reply.error() == cudaSuccess && !call.is_planned && reply.fields.value("direction", std::string()) == "host")
    for (std::size_t row = 0; row < rows; ++row)
      std::memmove(reinterpret_cast<char*>(there) + row * to.pitch, reinterpret_cast<const char*>(here) + row * from.pitch, row_bytes);
  return reply.error();
}

}  // namespace

cudaError_t tilelab_host::free_in_stream(void* pointer, cudaStream_t stream, const Call& call) {
  const cudaError_t error =
      request("free", call, {{"address", number_of(pointer)}, {"kind", "device"}, {"async", true}, {"stream", number_of(stream)}});
  if (error == cudaSuccess) note_freed_graph_memory(pointer);
  return error;
}

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, "device", TILELAB_CALL); }
// In a captured stream it becomes a node.
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  const Call call = TILELAB_CALL;
  if (!pointer) return refuse(call);
  const auto captured = capture(stream, call, [&](Work& work) { return alloc_work(bytes, pointer, work, call); });
  if (captured) return *captured;
  return request("allocate", call, {{"bytes", bytes}, {"kind", "device"}, {"stream", number_of(stream)}}, "address", *pointer);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags) {
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return refuse(TILELAB_CALL);
  return allocate(pointer, bytes, "managed", TILELAB_CALL);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, "pinned", TILELAB_CALL); }
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int) { return allocate(pointer, bytes, "pinned", TILELAB_CALL); }

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (!pitch || width > SIZE_MAX / 2) return refuse(TILELAB_CALL);
  *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
  if (height > 0 && *pitch > SIZE_MAX / height) return refuse(TILELAB_CALL, cudaErrorMemoryAllocation);
  return allocate(pointer, *pitch * height, "device", TILELAB_CALL, {{"pitch", *pitch}, {"row_bytes", width}});
}

cudaError_t cudaFree(void* pointer) { return release(pointer, "device", TILELAB_CALL); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  const Call call = TILELAB_CALL;
  const Graph* const graph = graph_of_capture(stream);
  const auto captured = capture(stream, call, [&](Work& work) { return free_work(pointer, *graph, work, call); });
  return captured ? *captured : free_in_stream(pointer, stream, call);
}
cudaError_t cudaFreeHost(void* pointer) { return release(pointer, "pinned", TILELAB_CALL); }

// The memory stays where it is: a kernel cannot reach it, but copies of it work as those of any other memory.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
  return pointer && bytes > 0 ? cudaSuccess : refuse(TILELAB_CALL);
}
cudaError_t cudaHostUnregister(void* pointer) { return pointer ? cudaSuccess : refuse(TILELAB_CALL); }

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int) {
  if (!device_pointer || !is_shared_with_device(host_pointer))
    return refuse(TILELAB_CALL, device_pointer && host_pointer ? cudaErrorNotSupported : cudaErrorInvalidValue);
  *device_pointer = host_pointer;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (!free_bytes || !total_bytes) return refuse(TILELAB_CALL);
  const Reply reply = ask("memory", TILELAB_CALL, {{"what", "info"}});
  *total_bytes = reply.fields.value("total", Session::open().memory_bytes());
  *free_bytes = reply.fields.value("free", *total_bytes);
  return reply.error();
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return device == 0 ? give(pool, devices_pool, TILELAB_CALL) : refuse(TILELAB_CALL, cudaErrorInvalidDevice);
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr, void* value) {
  return pool == devices_pool && value ? cudaSuccess : refuse(TILELAB_CALL);
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count) {
  if (pool != devices_pool || (count > 0 && !access)) return refuse(TILELAB_CALL);
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].location.type != cudaMemLocationTypeDevice) return refuse(TILELAB_CALL);
    if (access[i].location.id != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
    if (access[i].flags != cudaMemAccessFlagsProtReadWrite) return refuse(TILELAB_CALL);  // the device owns the pool
  }
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t, int, cudaStream_t) { return hint(pointer, TILELAB_CALL); }
cudaError_t cudaMemAdvise(const void* pointer, std::size_t, cudaMemoryAdvise, int) { return hint(pointer, TILELAB_CALL); }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned int) { return hint(pointer, TILELAB_CALL); }

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

cudaError_t tilelab_host::carry_out(const Copy& copy, CopyOrder order, const Call& call) {
  Copy now = copy;
  const bool is_plain = !copy.to.in_array && !copy.from.in_array;
  if (is_plain && copy.rows > 1 && copy.to.pitch == copy.row_bytes && copy.from.pitch == copy.row_bytes &&
      copy.row_bytes <= SIZE_MAX / copy.rows) {  // one line of bytes
    now.to.pitch = now.from.pitch = now.row_bytes = copy.rows * copy.row_bytes;
    now.rows = 1;
  }
  for (std::size_t slice = 0; slice < now.slices; ++slice) {
    if (const cudaError_t error = copy_slice(now, slice, order, call); error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

cudaError_t tilelab_host::copy_or_capture(const Copy& copy, CopyOrder order, const Call& call) {
  const auto captured = capture_copy(order, call, [&](Work& work) { return copy_work(copy, work, call); });
  return captured ? *captured : carry_out(copy, order, call);
}

cudaError_t tilelab_host::read_copy(const cudaMemcpy3DParms* params, Copy& copy, const Call& call) {
  if (!params) return refuse(call);
  const cudaMemcpy3DParms& what = *params;
  std::size_t texel = 0;
  for (cudaArray_const_t array : {what.srcArray, what.dstArray}) {
    if (!array) continue;
    const std::size_t bytes = texel_bytes_of(array, call);
    if (bytes == 0) return cudaErrorInvalidResourceHandle;
    if (texel != 0 && bytes != texel) return refuse(call);
    texel = bytes;
  }
  if ((what.srcArray && what.srcPtr.ptr) || (what.dstArray && what.dstPtr.ptr) || what.extent.width > SIZE_MAX / 64) return refuse(call);
  const auto side = [&](cudaArray_const_t array, const cudaPitchedPtr& memory, const cudaPos& place) -> CopySide {
    if (array) return {array, 0, 0, ArrayPlace{place.x * texel, place.y, place.z}};
    const char* const first = static_cast<const char*>(memory.ptr) + (place.z * memory.ysize + place.y) * memory.pitch + place.x;
    return {first, memory.pitch, memory.ysize * memory.pitch};
  };
  copy = {side(what.dstArray, what.dstPtr, what.dstPos),
          side(what.srcArray, what.srcPtr, what.srcPos),
          what.extent.height,
          what.extent.width * (texel != 0 ? texel : 1),
          what.extent.depth,
          what.kind};
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

// Both forms of a call: its name, what it returns, its parameters.
#define TILELAB_COPIES(NAME, RESULT, ...)                     \
  cudaError_t NAME(__VA_ARGS__) {                             \
    const Call call = TILELAB_CALL;                           \
    const CopyOrder order;                                    \
    return RESULT;                                            \
  }                                                           \
  cudaError_t NAME##Async(__VA_ARGS__, cudaStream_t stream) { \
    const Call call = TILELAB_CALL;                           \
    const CopyOrder order{stream, true};                      \
    return RESULT;                                            \
  }
TILELAB_COPIES(cudaMemcpy, copy_or_capture(line_copy(to, from, bytes, kind), order, call), void* to, const void* from, std::size_t bytes,
               cudaMemcpyKind kind)
TILELAB_COPIES(cudaMemcpy2D, copy_or_capture({{to, to_pitch}, {from, from_pitch}, height, width, 1, kind}, order, call), void* to,
               std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width, std::size_t height, cudaMemcpyKind kind)
TILELAB_COPIES(cudaMemcpy3D, copy_volume(what, order, call), const cudaMemcpy3DParms* what)
TILELAB_COPIES(cudaMemcpyPeer,
               to_device == 0 && from_device == 0 ? copy_or_capture(line_copy(to, from, bytes, cudaMemcpyDeviceToDevice), order, call)
                                                  : refuse(call, cudaErrorInvalidDevice),
               void* to, int to_device, const void* from, int from_device, std::size_t bytes)
TILELAB_COPIES(cudaMemset, fill(to, bytes, value, 1, bytes, order, call), void* to, int value, std::size_t bytes)
TILELAB_COPIES(cudaMemset2D, fill(to, pitch, value, height, width, order, call), void* to, std::size_t pitch, int value, std::size_t width,
               std::size_t height)
TILELAB_COPIES(cudaMemcpyToSymbol, copy_symbol(symbol, nullptr, from, bytes, offset, kind, order, call), const void* symbol,
               const void* from, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind)
TILELAB_COPIES(cudaMemcpyFromSymbol, to ? copy_symbol(symbol, to, nullptr, bytes, offset, kind, order, call) : refuse(call), void* to,
               const void* symbol, std::size_t bytes, std::size_t offset, cudaMemcpyKind kind)
cudaError_t cudaGetSymbolAddress(void** pointer, const void* symbol) { return address_of_variable(symbol, pointer, TILELAB_CALL); }
