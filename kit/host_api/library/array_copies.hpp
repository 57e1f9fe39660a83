// Copies with an array on one side or on both.
#pragma once

#include <cstdint>

#include "host_api/library/row_copies.hpp"
#include "host_api/runtime_types.hpp"

namespace tilelab_host {

// cudaMemcpy3D where an array takes part: the extent counts the array's texels.
cudaError_t copy_with_arrays(const cudaMemcpy3DParms& what, CopyOrder order, std::uintptr_t at);

}  // namespace tilelab_host
