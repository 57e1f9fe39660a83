// CUDA's qualifiers in host code. Three stay in the preprocessed text as words, which the grader takes away: bodies behind the first
// become stubs, and bodies that are for the device alone become empty. Variables of the device are the program's own variables here;
// their addresses name them.
#pragma once

#define __host__ __tilelab_host__
#define __device__ __tilelab_device__
#define __global__ __tilelab_global__
#define __shared__
#define __constant__
// On pages of its own, so that managed memory can be mapped in its place.
#define __managed__ __attribute__((section("tilelab_managed"), aligned(4096)))
