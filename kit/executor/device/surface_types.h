// Replaces CUDA's header of this name.
#include "cuda_on_cpu.hpp"
