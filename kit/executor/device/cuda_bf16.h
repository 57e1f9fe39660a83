// Replaces CUDA's header of this name: bfloat16, computed in software. Only conversions and the arithmetic of single numbers.
#pragma once

#include "cuda_on_cpu.hpp"

using namespace cuda_bf16_on_cpu;
using nv_bfloat16 = __nv_bfloat16;
using nv_bfloat162 = __nv_bfloat162;
