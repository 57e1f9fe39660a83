// Implements runtime_textures.hpp. The conductor knows what a handle stands for; how the program described it is kept here, for when it
// asks.
#include "host_api/runtime_textures.hpp"

#include <cstring>
#include <map>
#include <mutex>

#include "host_api/library/device_table.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/texel_formats.hpp"

using namespace tilelab_host;

namespace {

struct Described {
  cudaResourceDesc resource;
  cudaTextureDesc texture;
  bool is_surface;
};
std::mutex described_mutex;
std::map<unsigned long long, Described> described;

std::uint32_t bits_of(float number) { return __builtin_bit_cast(std::uint32_t, number); }

// False: there is no such resource.
bool describe_resource(json& request, const cudaResourceDesc& resource, std::uintptr_t at) {
  request["resource"] = static_cast<int>(resource.resType);
  switch (resource.resType) {
    case cudaResourceTypeArray: request["address"] = number_of(resource.res.array.array); return resource.res.array.array != nullptr;
    case cudaResourceTypeMipmappedArray:
      request["address"] = number_of(resource.res.mipmap.mipmap);
      return resource.res.mipmap.mipmap != nullptr;
    case cudaResourceTypeLinear:
      request["address"] = number_of(resource.res.linear.devPtr);
      request["bytes"] = resource.res.linear.sizeInBytes;
      return resource.res.linear.devPtr && describe_format(request, resource.res.linear.desc, at);
    case cudaResourceTypePitch2D:
      request["address"] = number_of(resource.res.pitch2D.devPtr);
      request["width"] = resource.res.pitch2D.width;
      request["height"] = resource.res.pitch2D.height;
      request["pitch"] = resource.res.pitch2D.pitchInBytes;
      return resource.res.pitch2D.devPtr && describe_format(request, resource.res.pitch2D.desc, at);
  }
  return false;
}

void describe_texture(json& request, const cudaTextureDesc& texture) {
  request["address_x"] = static_cast<unsigned>(texture.addressMode[0]);
  request["address_y"] = static_cast<unsigned>(texture.addressMode[1]);
  request["address_z"] = static_cast<unsigned>(texture.addressMode[2]);
  request["linear"] = texture.filterMode == cudaFilterModeLinear;
  request["as_float"] = texture.readMode == cudaReadModeNormalizedFloat;
  request["normalized"] = texture.normalizedCoords != 0;
  request["border_x"] = bits_of(texture.borderColor[0]);
  request["border_y"] = bits_of(texture.borderColor[1]);
  request["border_z"] = bits_of(texture.borderColor[2]);
  request["border_w"] = bits_of(texture.borderColor[3]);
  request["blends_levels"] = texture.mipmapFilterMode == cudaFilterModeLinear;
  request["level_bias"] = bits_of(texture.mipmapLevelBias);
  request["least_level"] = bits_of(texture.minMipmapLevelClamp);
  request["most_level"] = bits_of(texture.maxMipmapLevelClamp);
}

cudaError_t create(unsigned long long* object, const cudaResourceDesc* resource, const cudaTextureDesc* texture, const char* call,
                   std::uintptr_t at) {
  if (!object || !resource) return refuse(call, at);
  json request = {{"op", "texture"}, {"what", "create"}, {"surface", texture == nullptr}, {"at", at}};
  if (!describe_resource(request, *resource, at)) return refuse(call, at);
  if (texture) describe_texture(request, *texture);
  const Reply reply = Session::open().ask(request);
  if (reply.error() != cudaSuccess) return reply.error();
  *object = reply.fields.value("handle", 0ull);
  const std::lock_guard lock(described_mutex);
  described[*object] = {*resource, texture ? *texture : cudaTextureDesc{}, texture == nullptr};
  return cudaSuccess;
}

cudaError_t destroy(unsigned long long object, bool is_surface, std::uintptr_t at) {
  const cudaError_t error =
      Session::open().call({{"op", "texture"}, {"what", "destroy"}, {"handle", object}, {"surface", is_surface}, {"at", at}});
  const std::lock_guard lock(described_mutex);
  if (error == cudaSuccess) described.erase(object);
  return error;
}

bool find(unsigned long long object, bool is_surface, Described& found) {
  const std::lock_guard lock(described_mutex);
  const auto one = described.find(object);
  if (one == described.end() || one->second.is_surface != is_surface) return false;
  found = one->second;
  return true;
}

}  // namespace

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  if (!texture) return refuse("cudaCreateTextureObject", TILELAB_AT);
  if (texture->sRGB != 0) Session::open().refuse("Textures in sRGB are missing here.", TILELAB_AT);
  if (view) Session::open().refuse("Views of a texture's memory (cudaResourceViewDesc) are missing here.", TILELAB_AT);
  return create(object, resource, texture, "cudaCreateTextureObject", TILELAB_AT);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return destroy(object, false, TILELAB_AT); }
cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* resource, cudaTextureObject_t object) {
  Described found;
  if (!resource || !find(object, false, found)) return refuse("cudaGetTextureObjectResourceDesc", TILELAB_AT);
  *resource = found.resource;
  return cudaSuccess;
}
cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* texture, cudaTextureObject_t object) {
  Described found;
  if (!texture || !find(object, false, found)) return refuse("cudaGetTextureObjectTextureDesc", TILELAB_AT);
  *texture = found.texture;
  return cudaSuccess;
}
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  if (resource && resource->resType != cudaResourceTypeArray) return refuse("cudaCreateSurfaceObject", TILELAB_AT);
  return create(object, resource, nullptr, "cudaCreateSurfaceObject", TILELAB_AT);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return destroy(object, true, TILELAB_AT); }
cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* resource, cudaSurfaceObject_t object) {
  Described found;
  if (!resource || !find(object, true, found)) return refuse("cudaGetSurfaceObjectResourceDesc", TILELAB_AT);
  *resource = found.resource;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(std::size_t* texels, const cudaChannelFormatDesc* format, int device) {
  if (!texels || !format || device != 0 || texel_bytes(*format) == 0) return refuse("cudaDeviceGetTexture1DLinearMaxWidth", TILELAB_AT);
  *texels = static_cast<std::size_t>(the_device().maxTexture1DLinear);
  return cudaSuccess;
}
