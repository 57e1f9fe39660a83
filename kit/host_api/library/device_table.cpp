// Implements device_table.hpp. Sizes are in bytes, clocks in kHz.
#include "host_api/library/device_table.hpp"

#include <climits>
#include <cstring>

#include "host_api/library/host_session.hpp"

namespace tilelab_host {
namespace {

template <typename... Numbers>
void set(int* to, Numbers... numbers) {
  ((*to++ = numbers), ...);
}

void describe_limits(cudaDeviceProp& device) {
  device.sharedMemPerBlock = 48 * 1024;
  device.sharedMemPerBlockOptin = 227 * 1024;
  device.sharedMemPerMultiprocessor = 228 * 1024;
  device.reservedSharedMemPerBlock = 1024;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.maxThreadsPerBlock = 1024;
  set(device.maxThreadsDim, 1024, 1024, 64);
  set(device.maxGridSize, INT_MAX, 65535, 65535);
  device.maxThreadsPerMultiProcessor = 2048;
  device.maxBlocksPerMultiProcessor = 32;
  device.totalConstMem = 64 * 1024;
  device.memPitch = INT_MAX;
  device.textureAlignment = device.surfaceAlignment = 512;
  device.texturePitchAlignment = 32;
}

void describe_textures(cudaDeviceProp& device) {
  device.maxTexture1D = device.maxSurface1D = 131072;
  device.maxTexture1DMipmap = 32768;
  device.maxTexture1DLinear = 268435456;
  set(device.maxTexture2D, 131072, 65536);
  set(device.maxTexture2DMipmap, 32768, 32768);
  set(device.maxTexture2DLinear, 131072, 65000, 2097120);
  set(device.maxTexture2DGather, 32768, 32768);
  set(device.maxTexture3D, 16384, 16384, 16384);
  set(device.maxTexture3DAlt, 8192, 8192, 32768);
  device.maxTextureCubemap = device.maxSurfaceCubemap = 32768;
  set(device.maxTexture1DLayered, 32768, 2048);
  set(device.maxTexture2DLayered, 32768, 32768, 2048);
  set(device.maxTextureCubemapLayered, 32768, 2046);
  set(device.maxSurface2D, 131072, 65536);
  set(device.maxSurface3D, 16384, 16384, 16384);
  set(device.maxSurface1DLayered, 32768, 2048);
  set(device.maxSurface2DLayered, 32768, 32768, 2048);
  set(device.maxSurfaceCubemapLayered, 32768, 2046);
}

void describe_abilities(cudaDeviceProp& device) {
  device.canMapHostMemory = device.concurrentKernels = device.ECCEnabled = device.unifiedAddressing = 1;
  device.streamPrioritiesSupported = device.globalL1CacheSupported = device.localL1CacheSupported = 1;
  device.managedMemory = device.concurrentManagedAccess = device.computePreemptionSupported = 1;
  device.canUseHostPointerForRegisteredMem = device.cooperativeLaunch = device.hostRegisterSupported = 1;
  device.memoryPoolsSupported = device.clusterLaunch = device.unifiedFunctionPointers = device.deviceOverlap = 1;
  device.asyncEngineCount = 3;
  device.singleToDoublePrecisionPerfRatio = 2;
  device.deviceNumaId = device.hostNumaId = -1;
}

cudaDeviceProp describe() {
  cudaDeviceProp device{};
  std::strncpy(device.name, "NVIDIA H100 80GB HBM3", sizeof device.name - 1);
  device.totalGlobalMem = Session::open().memory_bytes();
  device.major = 9;
  device.multiProcessorCount = 132;
  device.clockRate = 1980000;
  device.memoryClockRate = 2619000;
  device.memoryBusWidth = 5120;
  device.l2CacheSize = 50 * 1024 * 1024;
  device.persistingL2CacheMaxSize = 32768 * 1000;
  device.accessPolicyMaxWindowSize = 128 * 1024 * 1024;
  describe_limits(device);
  describe_textures(device);
  describe_abilities(device);
  return device;
}

}  // namespace

const cudaDeviceProp& the_device() {
  static const cudaDeviceProp device = describe();
  return device;
}

}  // namespace tilelab_host
