// CUDA as the host's side of a program sees it: the device language declared, so that device functions compile, and the runtime's
// functions. It stands before every host text, as nvcc's own header does. TILELAB_HOST_API is set on the command line; it makes the
// device headers leave out what host code has differently. Bodies of device functions are never called and go at link.
#pragma once

#if !defined(TILELAB_HOST_API)
#error "cuda_on_host.hpp is for host code: -DTILELAB_HOST_API=1 is missing"
#endif

#include <string>

#include "cuda_on_cpu.hpp"

#include "launcher_call.hpp"
#include "runtime_device.hpp"
#include "runtime_graphs.hpp"
#include "runtime_kernels.hpp"
#include "runtime_memory.hpp"
#include "runtime_textures.hpp"

// NVIDIA's helper_cuda.h, which many projects bring, declares its functions only where these are there.
#define __DRIVER_TYPES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
