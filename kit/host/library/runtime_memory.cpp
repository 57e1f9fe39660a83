// Implements what runtime_memory.hpp declares about memory.

#include <sys/mman.h>

#include <map>
#include <mutex>

#include "host/graphs/graph.hpp"
#include "host/graphs/stream_capture.hpp"
#include "host/library/host_session.hpp"
#include "host/runtime_graphs.hpp"
#include "host/runtime_memory.hpp"

using namespace tilelab_host;

namespace {

constexpr std::size_t row_alignment = 512;  // bytes; a GPU of this kind aligns rows so

// The sizes of what is mapped here, by address, in whole pages.
std::mutex mapped_mutex;
std::map<std::uintptr_t, std::size_t> mapped;

cudaError_t allocate(void** pointer, std::size_t bytes, const char* kind, const Call& call) {
  if (!pointer) return refuse(call);
  if (const auto refused = unsafe_in_capture(call)) return *refused;
  Reply reply = ask("allocate", call, {{"bytes", bytes}, {"kind", kind}});
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
  return allocate(pointer, *pitch * height, "device", TILELAB_CALL);
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
