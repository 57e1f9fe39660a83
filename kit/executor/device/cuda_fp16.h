// Replaces CUDA's header of this name: half precision, computed in software and rounded as a GPU rounds.
#pragma once

#include "cuda_on_cpu.hpp"

using namespace cuda_fp16_on_cpu;
using half = __half;
using half2 = __half2;
