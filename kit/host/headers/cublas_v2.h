// Replaces the header of cuBLAS of this name: a part of it.
#pragma once
#include <cuda_fp16.h>

#define CUBLAS_API_H_
#include "blas_calls.hpp"
