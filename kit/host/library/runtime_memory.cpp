// Implements what host_session.hpp declares about pools, and runtime_memory.hpp about memory.

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "host/graphs/graph.hpp"
#include "host/graphs/stream_capture.hpp"
#include "host/library/host_session.hpp"
#include "host/runtime_graphs.hpp"
#include "host/runtime_memory.hpp"

using namespace tilelab_host;

namespace {

constexpr std::uint64_t granularity = 32u << 20;  // bytes that a pool gets at a time, as a GPU's driver gives them

struct Pool {
  cudaMemPoolProps properties{};
  std::uint64_t threshold = 0, used = 0, used_high = 0, reserved = 0, reserved_high = 0;
  int reuse[3] = {1, 1, 1};  // by cudaMemPoolReuse…, which change nothing here

  void take(std::uint64_t bytes) {
    used += bytes;
    used_high = std::max(used_high, used);
    reserved = std::max(reserved, (used + granularity - 1) / granularity * granularity);
    reserved_high = std::max(reserved_high, reserved);
  }
  void trim(std::uint64_t least) {
    const std::uint64_t kept = std::max(used, std::min(least, reserved));
    reserved = std::min(reserved, (kept + granularity - 1) / granularity * granularity);
  }
};

// Never destroyed: destructors of the program's objects may still free memory.
struct Pools {
  std::mutex mutex;
  std::map<cudaMemPool_t, std::unique_ptr<Pool>> all;
  cudaMemPool_t usual = nullptr, current = nullptr;
  std::map<const void*, std::pair<cudaMemPool_t, std::uint64_t>> taken;  // by address: from which pool, how many bytes

  cudaMemPool_t add(const cudaMemPoolProps& properties) {
    auto made = std::make_unique<Pool>();
    made->properties = properties;
    const auto handle = reinterpret_cast<cudaMemPool_t>(made.get());
    all[handle] = std::move(made);
    return handle;
  }
};
Pools& pools() {
  static Pools* const made = [] {
    auto* const fresh = new Pools;
    cudaMemPoolProps usual{};
    usual.allocType = cudaMemAllocationTypePinned;
    usual.location = {cudaMemLocationTypeDevice, 0};
    fresh->usual = fresh->current = fresh->add(usual);
    return fresh;
  }();
  return *made;
}

Pool* pool_of(cudaMemPool_t handle) {
  const auto found = pools().all.find(handle);
  return found == pools().all.end() ? nullptr : found->second.get();
}

cudaError_t capture_allocation(void** pointer, std::size_t bytes, Work& work, const Call& call) {
  cudaMemAllocNodeParams params{};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location = {cudaMemLocationTypeDevice, 0};
  params.bytesize = bytes;
  const cudaError_t error = alloc_work(&params, work, call);
  if (error == cudaSuccess) *pointer = params.dptr;
  return error;
}

}  // namespace

cudaError_t tilelab_host::allocate_from_pool(void** pointer, std::size_t bytes, cudaMemPool_t from, cudaStream_t stream, const Call& call) {
  if (!pointer) return refuse(call);
  const auto captured = capture(stream, call, [&](Work& work) { return capture_allocation(pointer, bytes, work, call); });
  if (captured) return *captured;
  const std::lock_guard lock(pools().mutex);
  const cudaMemPool_t handle = from != nullptr ? from : pools().current;
  Pool* const pool = pool_of(handle);
  if (!pool) return refuse(call);
  const std::size_t most = pool->properties.maxSize;
  if (most != 0 && (bytes > most || pool->used > most - bytes)) return refuse(call, cudaErrorMemoryAllocation);
  const json asked = {{"bytes", bytes}, {"kind", "device"}, {"stream", number_of(stream)}};
  if (const cudaError_t error = request("allocate", call, asked, "address", *pointer); error != cudaSuccess) return error;
  pool->take(bytes);
  pools().taken[*pointer] = {handle, bytes};
  return cudaSuccess;
}

cudaError_t tilelab_host::free_to_pool(void* pointer, cudaStream_t stream, const Call& call) {
  Graph* graph = nullptr;
  if (is_any_captured()) graph = graph_of(capture_info(stream).graph);
  const auto captured =
      capture(stream, call, [&](Work& work) { return graph != nullptr ? free_work(pointer, *graph, work, call) : refuse(call); });
  if (captured) return *captured;
  const cudaError_t error =
      request("free", call, {{"address", number_of(pointer)}, {"kind", "device"}, {"async", true}, {"stream", number_of(stream)}});
  if (error == cudaSuccess && !note_freed_graph_memory(pointer, stream)) note_freed_pool_memory(pointer);
  return error;
}

void tilelab_host::note_freed_pool_memory(const void* pointer) {
  const std::lock_guard lock(pools().mutex);
  const auto found = pools().taken.find(pointer);
  if (found == pools().taken.end()) return;
  if (Pool* const pool = pool_of(found->second.first)) pool->used -= found->second.second;
  pools().taken.erase(found);
}

void tilelab_host::pools_after_wait() {
  const std::lock_guard lock(pools().mutex);
  for (auto& [handle, pool] : pools().all) pool->trim(pool->threshold);
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return device == 0 ? give(pool, pools().usual, TILELAB_CALL) : refuse(TILELAB_CALL, cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return device == 0 ? give(pool, pools().current, TILELAB_CALL) : refuse(TILELAB_CALL, cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (device != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
  const std::lock_guard lock(pools().mutex);
  if (!pool_of(pool)) return refuse(TILELAB_CALL);
  pools().current = pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  const Call call = TILELAB_CALL;
  if (!pool || !properties) return refuse(call);
  if (properties->allocType != cudaMemAllocationTypePinned || properties->location.type != cudaMemLocationTypeDevice)
    return refuse(call, properties->allocType == cudaMemAllocationTypeManaged ? cudaErrorNotSupported : cudaErrorInvalidValue);
  if (properties->location.id != 0) return refuse(call, cudaErrorInvalidDevice);
  if (properties->handleTypes != cudaMemHandleTypeNone) return refuse(call, cudaErrorNotSupported);
  const std::lock_guard lock(pools().mutex);
  *pool = pools().add(*properties);
  return cudaSuccess;
}
// What was taken from it stays, and is freed as before.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  const std::lock_guard lock(pools().mutex);
  if (!pool_of(pool) || pool == pools().usual) return refuse(TILELAB_CALL);
  if (pools().current == pool) pools().current = pools().usual;
  pools().all.erase(pool);
  return cudaSuccess;
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, std::size_t least_bytes) {
  const std::lock_guard lock(pools().mutex);
  Pool* const one = pool_of(pool);
  if (!one) return refuse(TILELAB_CALL);
  one->trim(least_bytes);
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const std::lock_guard lock(pools().mutex);
  Pool* const one = pool_of(pool);
  if (!one || !value) return refuse(TILELAB_CALL);
  const bool is_switch = attribute >= cudaMemPoolReuseFollowEventDependencies && attribute < cudaMemPoolAttrReleaseThreshold;
  if (is_switch) return give(&one->reuse[attribute - 1], *static_cast<int*>(value), TILELAB_CALL);
  const std::uint64_t number = *static_cast<std::uint64_t*>(value);
  if (attribute == cudaMemPoolAttrReleaseThreshold) return give(&one->threshold, number, TILELAB_CALL);
  if (number == 0 && attribute == cudaMemPoolAttrReservedMemHigh) return give(&one->reserved_high, one->reserved, TILELAB_CALL);
  if (number == 0 && attribute == cudaMemPoolAttrUsedMemHigh) return give(&one->used_high, one->used, TILELAB_CALL);
  return refuse(TILELAB_CALL);
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  const std::lock_guard lock(pools().mutex);
  const Pool* const one = pool_of(pool);
  if (!one || !value || attribute < cudaMemPoolReuseFollowEventDependencies || attribute > cudaMemPoolAttrUsedMemHigh)
    return refuse(TILELAB_CALL);
  const std::uint64_t numbers[] = {one->threshold, one->reserved, one->reserved_high, one->used, one->used_high};
  if (attribute < cudaMemPoolAttrReleaseThreshold) return give(static_cast<int*>(value), one->reuse[attribute - 1], TILELAB_CALL);
  return give(static_cast<std::uint64_t*>(value), numbers[attribute - cudaMemPoolAttrReleaseThreshold], TILELAB_CALL);
}
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* access, std::size_t count) {
  const std::lock_guard lock(pools().mutex);
  if (!pool_of(pool) || (count > 0 && !access)) return refuse(TILELAB_CALL);
  for (std::size_t i = 0; i < count; ++i) {
    if (access[i].location.type != cudaMemLocationTypeDevice) return refuse(TILELAB_CALL);
    if (access[i].location.id != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
    if (access[i].flags != cudaMemAccessFlagsProtReadWrite) return refuse(TILELAB_CALL);  // it owns the pool
  }
  return cudaSuccess;
}
cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* place) {
  const std::lock_guard lock(pools().mutex);
  if (!pool_of(pool) || !place) return refuse(TILELAB_CALL);
  const bool is_here = place->type == cudaMemLocationTypeDevice && place->id == 0;
  return give(flags, is_here ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone, TILELAB_CALL);
}
cudaError_t cudaMallocFromPoolAsync(void** pointer, std::size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  if (!pool) return refuse(TILELAB_CALL);
  return allocate_from_pool(pointer, bytes, pool, stream, TILELAB_CALL);
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  if (device != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
  trim_graph_memory();
  return cudaSuccess;
}
cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  if (device != 0) return refuse(TILELAB_CALL, cudaErrorInvalidDevice);
  const GraphMemory sums = graph_memory();
  const std::uint64_t all[] = {sums.used, sums.used_high, sums.reserved, sums.reserved_high};
  if (!value || attribute < cudaGraphMemAttrUsedMemCurrent || attribute > cudaGraphMemAttrReservedMemHigh) return refuse(TILELAB_CALL);
  *static_cast<std::uint64_t*>(value) = all[attribute];
  return cudaSuccess;
}

namespace {

constexpr std::size_t mapped_page = 4096, row_alignment = 512;  // bytes; a GPU of this kind aligns rows so

std::size_t mapped_bytes(std::size_t bytes) { return (bytes + mapped_page - 1) / mapped_page * mapped_page; }

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
    const std::size_t size = mapped_bytes(bytes);
    void* wanted = reinterpret_cast<void*>(address);
    void* place = ::mmap(wanted, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE, reply.descriptors[0].get(),
                         reply.fields.value("offset", off_t{0}));
    if (place != wanted) {
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
  if (error == cudaSuccess && is_device(pointer) && !note_freed_graph_memory(pointer, nullptr)) note_freed_pool_memory(pointer);
  const std::lock_guard lock(mapped_mutex);
  if (const auto one = mapped.find(number_of(pointer)); error == cudaSuccess && one != mapped.end()) {
    ::munmap(pointer, one->second);
    mapped.erase(one);
  }
  return error;
}

// A hint for memory that is not managed is an error.
cudaError_t hint(const void* pointer, const Call& call) { return is_shared_with_device(pointer) ? cudaSuccess : refuse(call); }

}  // namespace

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) { return allocate(pointer, bytes, "device", TILELAB_CALL); }
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t stream) {
  return allocate_from_pool(pointer, bytes, nullptr, stream, TILELAB_CALL);
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
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) { return free_to_pool(pointer, stream, TILELAB_CALL); }
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

cudaError_t cudaMemPrefetchAsync(const void* pointer, std::size_t, int, cudaStream_t) { return hint(pointer, TILELAB_CALL); }
cudaError_t cudaMemAdvise(const void* pointer, std::size_t, cudaMemoryAdvise, int) { return hint(pointer, TILELAB_CALL); }
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void* pointer, std::size_t, unsigned int) { return hint(pointer, TILELAB_CALL); }
