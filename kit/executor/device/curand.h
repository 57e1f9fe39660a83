// Nothing: CUDA's header of this name declares functions of the host. Device code uses curand_kernel.h.
#pragma once
