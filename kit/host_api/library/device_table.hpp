// The one device that programs see: what cudaGetDeviceProperties answers.
#pragma once

#include "host_api/device_properties.hpp"

namespace tilelab_host {

// Total memory is the conductor's; everything else is as an H100 with 80 GB of memory (SXM) has it.
const cudaDeviceProp& the_device();

}  // namespace tilelab_host
