// How the functions of CUDA's runtime are declared here. A compiler asked for -Wunused-result names each call whose value nobody looks at.
#pragma once

// A function of the library. Its return address in the program is the call's place.
#define TILELAB_CUDA_CALL extern "C" [[nodiscard]] cudaError_t
// One whose value is ignored with good reason: asking for the last error forgets it.
#define TILELAB_CUDA_QUIET_CALL extern "C" cudaError_t
// Another form of such a function. It is inlined, so that the return address still lies in the program's own function.
#define TILELAB_CUDA_FORM [[nodiscard]] __attribute__((always_inline)) inline cudaError_t
