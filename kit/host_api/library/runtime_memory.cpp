// Implements runtime_memory.hpp. Managed and page-locked memory is one file of the conductor's, mapped at the address that the device
// has it at.
#include "host_api/runtime_memory.hpp"

#include <sys/mman.h>

#include <map>

#include "host_api/graphs/graph_memory.hpp"
#include "host_api/graphs/stream_capture.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/memory_pools.hpp"

using namespace tilelab_host;

namespace {

constexpr std::size_t mapped_page = 4096, row_alignment = 512;  // bytes; a GPU of this kind aligns rows so

std::size_t mapped_bytes(std::size_t bytes) { return (bytes + mapped_page - 1) / mapped_page * mapped_page; }

// The sizes of what is mapped here, by address, in whole pages.
std::mutex mapped_mutex;
std::map<std::uintptr_t, std::size_t> mapped;

cudaError_t allocate(void** pointer, std::size_t bytes, const char* kind, const char* call, std::uintptr_t at) {
  if (!pointer) return Session::open().raise(cudaErrorInvalidValue, call, at);
  if (const auto refused = unsafe_in_capture(call, at)) return *refused;
  Reply reply = Session::open().ask({{"op", "allocate"}, {"bytes", bytes}, {"kind", kind}, {"at", at}});
  if (reply.error() != cudaSuccess) return reply.error();
  const auto address = reply.fields.value("address", std::uintptr_t{0});
  if (!reply.descriptors.empty() && address >= device_end && address < shared_end) {
    const std::size_t size = mapped_bytes(bytes);
    void* wanted = reinterpret_cast<void*>(address);
    void* place = ::mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, reply.descriptors[0].get(),
                         reply.fields.value("offset", off_t{0}));
    if (place != wanted) {
      (void)Session::open().call({{"op", "free"}, {"address", address}, {"kind", kind}, {"at", at}});
      return Session::open().raise(cudaErrorMemoryAllocation, call, at);
    }
    const std::lock_guard lock(mapped_mutex);
    mapped[address] = size;
  }
  *pointer = reinterpret_cast<void*>(address);
  return cudaSuccess;
}

cudaError_t release(void* pointer, const char* kind, const char* call, std::uintptr_t at) {
  if (const auto refused = unsafe_in_capture(call, at)) return *refused;
  const cudaError_t error = Session::open().call({{"op", "free"}, {"address", number_of(pointer)}, {"kind", kind}, {"at", at}});
  if (error == cudaSuccess && is_device(pointer) && !note_freed_graph_memory(pointer, nullptr)) note_freed_pool_memory(pointer);
  const std::lock_guard lock(mapped_mutex);
  if (const auto one = mapped.find(number_of(pointer)); error == cudaSuccess && one != mapped.end()) {
    ::munmap(pointer, one->second);
    mapped.erase(one);
  }
  return error;
}

// A hint for memory that is not managed is an error.
cudaError_t hint(const void* pointer, const char* call, std::uintptr_t at) {
  return is_shared_with_device(pointer) ? cudaSuccess : refuse(call, at);
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, "device", "cudaMalloc", TILELAB_AT); }
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate_from_pool(pointer, bytes, nullptr, stream, "cudaMallocAsync", TILELAB_AT);
}
cudaError_t cudaMallocManaged(void** pointer, std::size_t bytes, unsigned int flags) {
  if (bytes == 0 || (flags != cudaMemAttachGlobal && flags != cudaMemAttachHost)) return refuse("cudaMallocManaged", TILELAB_AT);
  return allocate(pointer, bytes, "managed", "cudaMallocManaged", TILELAB_AT);
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, "pinned", "cudaMallocHost", TILELAB_AT); }
cudaError_t cudaHostAlloc(void** pointer, std::size_t bytes, unsigned int) {
  return allocate(pointer, bytes, "pinned", "cudaHostAlloc", TILELAB_AT);
}

cudaError_t cudaMallocPitch(void** pointer, std::size_t* pitch, std::size_t width, std::size_t height) {
  if (!pitch || width > SIZE_MAX / 2) return refuse("cudaMallocPitch", TILELAB_AT);
  *pitch = (width + row_alignment - 1) / row_alignment * row_alignment;
  if (height > 0 && *pitch > SIZE_MAX / height) return refuse("cudaMallocPitch", TILELAB_AT, cudaErrorMemoryAllocation);
  return allocate(pointer, *pitch * height, "device", "cudaMallocPitch", TILELAB_AT);
}
cudaError_t cudaMalloc3D(cudaPitchedPtr* pointer, cudaExtent extent) {
  if (!pointer || extent.width > SIZE_MAX / 2) return refuse("cudaMalloc3D", TILELAB_AT);
  const std::size_t pitch = (extent.width + row_alignment - 1) / row_alignment * row_alignment;
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(pitch, extent.height, &bytes) || __builtin_mul_overflow(bytes, extent.depth, &bytes))
    return refuse("cudaMalloc3D", TILELAB_AT, cudaErrorMemoryAllocation);
  *pointer = {nullptr, pitch, extent.width, extent.height};
  return allocate(&pointer->ptr, bytes, "device", "cudaMalloc3D", TILELAB_AT);
}

cudaError_t cudaFree(void* pointer) { return release(pointer, "device", "cudaFree", TILELAB_AT); }
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) { return free_to_pool(pointer, stream, "cudaFreeAsync", TILELAB_AT); }
cudaError_t cudaFreeHost(void* pointer) { return release(pointer, "pinned", "cudaFreeHost", TILELAB_AT); }

// The memory stays where it is: a kernel cannot reach it, but copies of it work as those of any other memory.
cudaError_t cudaHostRegister(void* pointer, std::size_t bytes, unsigned int) {
  return pointer && bytes > 0 ? cudaSuccess : refuse("cudaHostRegister", TILELAB_AT);
}
cudaError_t cudaHostUnregister(void* pointer) { return pointer ? cudaSuccess : refuse("cudaHostUnregister", TILELAB_AT); }

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned int) {
  if (!device_pointer || !is_shared_with_device(host_pointer))
    return refuse("cudaHostGetDevicePointer", TILELAB_AT, device_pointer && host_pointer ? cudaErrorNotSupported : cudaErrorInvalidValue);
  *device_pointer = host_pointer;
  return cudaSuccess;
}
cudaError_t cudaHostGetFlags(unsigned int* flags, void* pointer) {
  if (!flags || !is_shared_with_device(pointer)) return refuse("cudaHostGetFlags", TILELAB_AT);
  *flags = cudaHostAllocMapped;
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  if (!free_bytes || !total_bytes) return refuse("cudaMemGetInfo", TILELAB_AT);
  const Reply reply = Session::open().ask({{"op", "memory"}, {"what", "info"}, {"at", TILELAB_AT}});
  *total_bytes = reply.fields.value("total", Session::open().memory_bytes());
  *free_bytes = reply.fields.value("free", *total_bytes);
  return reply.error();
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  if (!attributes) return refuse("cudaPointerGetAttributes", TILELAB_AT);
  const Reply reply = Session::open().ask({{"op", "pointer"}, {"address", number_of(pointer)}, {"at", TILELAB_AT}});
  const std::string kind = reply.fields.value("kind", std::string());
  void* same = const_cast<void*>(pointer);
  if (kind == "device")
    *attributes = {cudaMemoryTypeDevice, 0, same, nullptr};
  else if (kind == "managed")
    *attributes = {cudaMemoryTypeManaged, 0, same, same};
  else if (kind == "pinned")
    *attributes = {cudaMemoryTypeHost, 0, same, same};
  else
    *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, same};
  return cudaSuccess;
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t, int, cudaStream_t) {
  return hint(pointer, "cudaMemPrefetchAsync", TILELAB_AT);
}
cudaError_t cudaMemAdvise(const void* pointer, std::size_t, cudaMemoryAdvise, int) { return hint(pointer, "cudaMemAdvise", TILELAB_AT); }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned int) {
  return hint(pointer, "cudaStreamAttachMemAsync", TILELAB_AT);
}
