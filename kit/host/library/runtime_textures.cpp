// Implements runtime_textures.hpp. The broker knows what a handle stands for.
#include "host/runtime_textures.hpp"

#include <array>

#include "host/graphs/graph.hpp"
#include "host/library/host_session.hpp"

using namespace tilelab_host;

namespace {

constexpr std::array axes{'x', 'y', 'z', 'w'};

// Adds it to a request. False: no texel is like this.
bool describe_format(json& request, const cudaChannelFormatDesc& format) {
  const std::array bits{format.x, format.y, format.z, format.w};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    if (bits[axis] < 0) return false;
    request[std::string("bits_") + axes[axis]] = bits[axis];
  }
  request["format"] = static_cast<int>(format.f);
  const bool three = format.z > 0 && format.w == 0;
  return format.x > 0 && !three && format.f != cudaChannelFormatKindNone;
}

template <typename Handle>
cudaError_t create(Handle* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned int levels, unsigned int flags,
                   const Call& call) {
  if (!array || !format) return refuse(call);
  if (const auto refused = unsafe_in_capture(call)) return *refused;
  if ((flags & (cudaArraySparse | cudaArrayDeferredMapping)) != 0)
    Session::open().refuse("Sparse arrays and arrays with deferred mapping cannot be made here.", call);
  json asked = {{"what", "create"},      {"width", extent.width}, {"height", extent.height},
                {"depth", extent.depth}, {"levels", levels},      {"flags", flags & ~unsigned{cudaArrayColorAttachment}}};
  if (!describe_format(asked, *format)) return refuse(call, cudaErrorInvalidChannelDescriptor);
  return request("array", call, asked, "address", *array);
}

Reply about(cudaArray_const_t array, const Call& call) { return ask("array", call, {{"what", "info"}, {"address", number_of(array)}}); }

cudaChannelFormatDesc format_in(const Reply& reply) {
  const auto bits = [&](const char* key) { return reply.fields.value(key, 0); };
  return {bits("bits_x"), bits("bits_y"), bits("bits_z"), bits("bits_w"),
          static_cast<cudaChannelFormatKind>(reply.fields.value("format", 0))};
}

cudaError_t release(const void* array, bool mipmapped, const Call& call) {
  if (const auto refused = unsafe_in_capture(call)) return *refused;
  return request("free", call, {{"address", number_of(array)}, {"kind", "array"}, {"mipmapped", mipmapped}});
}

CopySide in_array(cudaArray_const_t array, std::size_t x, std::size_t y) { return {array, 0, 0, ArrayPlace{x, y}}; }

std::uint32_t bits_of(float number) { return __builtin_bit_cast(std::uint32_t, number); }

// False: there is no such resource.
bool describe_resource(json& request, const cudaResourceDesc& resource) {
  request["resource"] = static_cast<int>(resource.resType);
  switch (resource.resType) {
    case cudaResourceTypeArray: request["address"] = number_of(resource.res.array.array); return resource.res.array.array != nullptr;
    case cudaResourceTypeMipmappedArray:
      request["address"] = number_of(resource.res.mipmap.mipmap);
      return resource.res.mipmap.mipmap != nullptr;
    case cudaResourceTypeLinear:
      request["address"] = number_of(resource.res.linear.devPtr);
      request["bytes"] = resource.res.linear.sizeInBytes;
      return resource.res.linear.devPtr && describe_format(request, resource.res.linear.desc);
    case cudaResourceTypePitch2D:
      request["address"] = number_of(resource.res.pitch2D.devPtr);
      request["width"] = resource.res.pitch2D.width;
      request["height"] = resource.res.pitch2D.height;
      request["pitch"] = resource.res.pitch2D.pitchInBytes;
      return resource.res.pitch2D.devPtr && describe_format(request, resource.res.pitch2D.desc);
  }
  return false;
}

void describe_texture(json& request, const cudaTextureDesc& texture) {
  for (std::size_t axis = 0; axis < 3; ++axis)
    request[std::string("address_") + axes[axis]] = static_cast<unsigned>(texture.addressMode[axis]);
  for (std::size_t axis = 0; axis < 4; ++axis) request[std::string("border_") + axes[axis]] = bits_of(texture.borderColor[axis]);
  request["linear"] = texture.filterMode == cudaFilterModeLinear;
  request["as_float"] = texture.readMode == cudaReadModeNormalizedFloat;
  request["normalized"] = texture.normalizedCoords != 0;
  request["blends_levels"] = texture.mipmapFilterMode == cudaFilterModeLinear;
  request["level_bias"] = bits_of(texture.mipmapLevelBias);
  request["least_level"] = bits_of(texture.minMipmapLevelClamp);
  request["most_level"] = bits_of(texture.maxMipmapLevelClamp);
}

cudaError_t create(unsigned long long* object, const cudaResourceDesc* resource, const cudaTextureDesc* texture, const Call& call) {
  if (!object || !resource) return refuse(call);
  json asked = {{"what", "create"}, {"surface", texture == nullptr}};
  if (!describe_resource(asked, *resource)) return refuse(call);
  if (texture) describe_texture(asked, *texture);
  return request("texture", call, asked, "handle", *object);
}

cudaError_t destroy(unsigned long long object, bool is_surface, const Call& call) {
  return request("texture", call, {{"what", "destroy"}, {"handle", object}, {"surface", is_surface}});
}

}  // namespace

std::size_t tilelab_host::texel_bytes_of(cudaArray_const_t array, const Call& call) {
  const cudaChannelFormatDesc format = format_in(about(array, call));
  return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, std::size_t width, std::size_t height,
                            unsigned int flags) {
  return create(array, format, {width, height, 0}, 0, flags, TILELAB_CALL);
}
cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent, unsigned int flags) {
  return create(array, format, extent, 0, flags, TILELAB_CALL);
}
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned int levels, unsigned int flags) {
  if (levels == 0) return refuse(TILELAB_CALL);
  return create(array, format, extent, levels, flags, TILELAB_CALL);
}
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t* level, cudaMipmappedArray_const_t array, unsigned int number) {
  if (!level) return refuse(TILELAB_CALL);
  return request("array", TILELAB_CALL, {{"what", "level"}, {"address", number_of(array)}, {"level", number}}, "address", *level);
}
cudaError_t cudaFreeArray(cudaArray_t array) { return release(array, false, TILELAB_CALL); }
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array) { return release(array, true, TILELAB_CALL); }

cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned int* flags, cudaArray_t array) {
  const Reply reply = about(array, TILELAB_CALL);
  if (reply.error() != cudaSuccess) return reply.error();
  const auto number = [&](const char* key) { return reply.fields.value(key, std::size_t{0}); };
  if (format) *format = format_in(reply);
  if (extent) *extent = {number("width"), number("height"), number("depth")};
  if (flags) *flags = static_cast<unsigned int>(number("flags"));
  return cudaSuccess;
}
cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array) {
  if (!format) return refuse(TILELAB_CALL);
  const Reply reply = about(array, TILELAB_CALL);
  if (reply.error() == cudaSuccess) *format = format_in(reply);
  return reply.error();
}

cudaError_t cudaMemcpy2DToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind kind) {
  return copy_or_capture({in_array(to, x, y), {from, pitch}, height, width, 1, kind}, {}, TILELAB_CALL);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t pitch, std::size_t width,
                                     std::size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return copy_or_capture({in_array(to, x, y), {from, pitch}, height, width, 1, kind}, {stream, true}, TILELAB_CALL);
}
cudaError_t cudaMemcpy2DFromArray(void* to, std::size_t pitch, cudaArray_const_t from, std::size_t x, std::size_t y, std::size_t width,
                                  std::size_t height, cudaMemcpyKind kind) {
  return copy_or_capture({{to, pitch}, in_array(from, x, y), height, width, 1, kind}, {}, TILELAB_CALL);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, std::size_t to_x, std::size_t to_y, cudaArray_const_t from, std::size_t from_x,
                                     std::size_t from_y, std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  return copy_or_capture({in_array(to, to_x, to_y), in_array(from, from_x, from_y), height, width, 1, kind}, {}, TILELAB_CALL);
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, std::size_t x, std::size_t y, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return copy_or_capture({in_array(to, x, y), {from, bytes}, 1, bytes, 1, kind, true}, {}, TILELAB_CALL);
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource, const cudaTextureDesc* texture,
                                    const cudaResourceViewDesc* view) {
  if (!texture) return refuse(TILELAB_CALL);
  if (texture->sRGB != 0) Session::open().refuse("Textures in sRGB are missing here.", TILELAB_CALL);
  if (view) Session::open().refuse("Views of a texture's memory (cudaResourceViewDesc) are missing here.", TILELAB_CALL);
  return create(object, resource, texture, TILELAB_CALL);
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object) { return destroy(object, false, TILELAB_CALL); }
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource) {
  if (resource && resource->resType != cudaResourceTypeArray) return refuse(TILELAB_CALL);
  return create(object, resource, nullptr, TILELAB_CALL);
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object) { return destroy(object, true, TILELAB_CALL); }
