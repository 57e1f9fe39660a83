// Replaces the header of cuBLAS of this name: a part of it.
#pragma once
#include "blas_calls.hpp"
