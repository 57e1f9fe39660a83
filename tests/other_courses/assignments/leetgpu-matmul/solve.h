// What older files of this course include: CUDA's runtime, and nothing else. A file says what its solve() is.
#pragma once

#include <cuda_runtime.h>
