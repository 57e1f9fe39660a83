// A program's description of texels, as the conductor is told it.
#pragma once

#include "host_api/library/host_session.hpp"
#include "host_api/runtime_arrays.hpp"

namespace tilelab_host {

inline std::size_t texel_bytes(const cudaChannelFormatDesc& format) {
  return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

// Adds it to a request. False: no texel is like this. Formats that CUDA has and this library has not end the run.
inline bool describe_format(json& request, const cudaChannelFormatDesc& format, std::uintptr_t at) {
  if (format.f > cudaChannelFormatKindNone)
    Session::open().refuse("Arrays and textures of normalized, compressed and planar formats are missing here.", at);
  const int bits[] = {format.x, format.y, format.z, format.w};
  const char* const keys[] = {"bits_x", "bits_y", "bits_z", "bits_w"};
  for (int i = 0; i < 4; ++i) {
    if (bits[i] < 0) return false;
    request[keys[i]] = bits[i];
  }
  request["format"] = static_cast<int>(format.f);
  const bool three = format.z > 0 && format.w == 0;
  return format.x > 0 && !three && format.f != cudaChannelFormatKindNone;
}

}  // namespace tilelab_host
