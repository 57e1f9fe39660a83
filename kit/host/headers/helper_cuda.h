// Stands in for the header of this name beside NVIDIA's samples: the check of each call, the choice of a device, and its name. Programs
// of courses include it without bringing it.
#pragma once

#include <cstdio>
#include <cstdlib>

#include "helper_string.h"

#ifndef MAX
#define MAX(a, b) (a > b ? a : b)
#endif

inline const char* _cudaGetErrorEnum(cudaError_t error) { return cudaGetErrorName(error); }

template <typename T>
void check(T result, const char* call, const char* file, int line) {
  if (!result) return;
  std::fprintf(stderr, "CUDA error at %s:%d code=%d(%s) \"%s\" \n", file, line, static_cast<int>(result),
               _cudaGetErrorEnum(static_cast<cudaError_t>(result)), call);
  std::exit(EXIT_FAILURE);
}
#define checkCudaErrors(value) check((value), #value, __FILE__, __LINE__)

inline void tilelab_told_last_error(cudaError_t error, const char* message, const char* file, int line) {
  std::fprintf(stderr, "%s(%i) : getLastCudaError() CUDA error : %s : (%d) %s.\n", file, line, message, static_cast<int>(error),
               cudaGetErrorString(error));
}
// Inlined, so that the question for the error has the line of the program.
__attribute__((always_inline)) inline void __getLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return;
  tilelab_told_last_error(error, message, file, line);
  std::exit(EXIT_FAILURE);
}
__attribute__((always_inline)) inline void __printLastCudaError(const char* message, const char* file, int line) {
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) tilelab_told_last_error(error, message, file, line);
}
#define getLastCudaError(message) __getLastCudaError(message, __FILE__, __LINE__)
#define printLastCudaError(message) __printLastCudaError(message, __FILE__, __LINE__)

inline int ftoi(float value) { return static_cast<int>(value >= 0 ? value + 0.5 : value - 0.5); }

// Cores of one multiprocessor, and the architecture's name: NVIDIA's programming guide, compute capabilities.
inline int _ConvertSMVer2Cores(int major, int minor) {
  if (major >= 8) return major == 8 && minor == 0 ? 64 : 128;
  if (major == 7 || (major == 6 && minor == 0)) return 64;
  if (major >= 5) return 128;
  return major == 3 ? 192 : 32;
}
inline const char* _ConvertSMVer2ArchName(int major, int minor) {
  if (major >= 10) return "Blackwell";
  if (major == 9) return "Hopper";
  if (major == 8) return minor == 9 ? "Ada" : "Ampere";
  if (major == 7) return minor == 5 ? "Turing" : "Volta";
  if (major == 6) return "Pascal";
  return major == 5 ? "Maxwell" : "Kepler";
}

inline int gpuGetMaxGflopsDeviceId() { return 0; }
inline int gpuDeviceInit(int device) {
  checkCudaErrors(cudaSetDevice(device));
  return device;
}
inline int findCudaDevice(int count, const char** words) {
  const int device = checkCmdLineFlag(count, words, "device") ? gpuDeviceInit(getCmdLineArgumentInt(count, words, "device=")) : 0;
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, device));
  std::printf("GPU Device %d: \"%s\" with compute capability %d.%d\n\n", device, _ConvertSMVer2ArchName(properties.major, properties.minor),
              properties.major, properties.minor);
  return device;
}
inline int findCudaDevice(int count, char** words) { return findCudaDevice(count, const_cast<const char**>(words)); }
inline bool checkCudaCapabilities(int major, int minor) {
  cudaDeviceProp properties;
  checkCudaErrors(cudaGetDeviceProperties(&properties, 0));
  return properties.major > major || (properties.major == major && properties.minor >= minor);
}
