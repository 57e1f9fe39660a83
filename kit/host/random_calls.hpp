// cuRAND's host functions for its default generator, XORWOW: bits, uniform and normal numbers. They are the numbers of a GPU. Other
// generators, orderings and offsets are missing.
#pragma once

#include <cstddef>

#include "runtime_types.hpp"

struct curandGenerator_st;
typedef curandGenerator_st* curandGenerator_t;

typedef enum curandStatus {
  CURAND_STATUS_SUCCESS = 0,
  CURAND_STATUS_VERSION_MISMATCH = 100,
  CURAND_STATUS_NOT_INITIALIZED = 101,
  CURAND_STATUS_ALLOCATION_FAILED = 102,
  CURAND_STATUS_TYPE_ERROR = 103,
  CURAND_STATUS_OUT_OF_RANGE = 104,
  CURAND_STATUS_LENGTH_NOT_MULTIPLE = 105,
  CURAND_STATUS_DOUBLE_PRECISION_REQUIRED = 106,
  CURAND_STATUS_LAUNCH_FAILURE = 201,
  CURAND_STATUS_PREEXISTING_FAILURE = 202,
  CURAND_STATUS_INITIALIZATION_FAILED = 203,
  CURAND_STATUS_ARCH_MISMATCH = 204,
  CURAND_STATUS_INTERNAL_ERROR = 999
} curandStatus_t;
typedef enum curandRngType { CURAND_RNG_PSEUDO_DEFAULT = 100, CURAND_RNG_PSEUDO_XORWOW = 101 } curandRngType_t;

extern "C" {
curandStatus_t curandCreateGenerator(curandGenerator_t* generator, curandRngType_t type);
curandStatus_t curandCreateGeneratorHost(curandGenerator_t* generator, curandRngType_t type);
curandStatus_t curandDestroyGenerator(curandGenerator_t generator);
curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed);
curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream);
// `count` numbers; of normal numbers an even count.
curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int* numbers, std::size_t count);
curandStatus_t curandGenerateUniform(curandGenerator_t generator, float* numbers, std::size_t count);
curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double* numbers, std::size_t count);
curandStatus_t curandGenerateNormal(curandGenerator_t generator, float* numbers, std::size_t count, float mean, float deviation);
curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double* numbers, std::size_t count, double mean, double deviation);
}
