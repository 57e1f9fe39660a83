// Asynchronous copies to shared memory. Replaces CUDA's header of this name, without its C++ interface.
#pragma once

#include <tilelab/device.cuh>

#include "cuda_pipeline_primitives.h"
