// Replaces the header of cuBLAS of this name: a part of it.
#pragma once
#include <cuda_fp16.h>

#include "blas_calls.hpp"
