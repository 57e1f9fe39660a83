// Asynchronous copies to shared memory. Replaces CUDA's header of this name, without its C++ interface.
#pragma once

#include "cuda_on_cpu.hpp"

#include "cuda_pipeline_primitives.h"
