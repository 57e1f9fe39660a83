// A driver library for tests without a GPU. "Device" memory is this process's own, and the kernels are the few functions below,
// some of them wrong on purpose. It follows <cuda.h> and <cublas_v2.h> for exactly the functions that kit/gpu calls.
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "protocol/timed_input.hpp"

namespace {

constexpr int illegal_address = 700, not_found = 500, invalid_value = 1;

struct Kernel {
  const char* name;
  int parameters[4];  // bytes of each parameter; 0 ends the list
  int registers, max_threads;
  int (*run)(void** parameters);
};

template <class T>
T& parameter(void** parameters, int index) {
  return *static_cast<T*>(parameters[index]);
}

int ask(void** parameters) {
  auto* answer = parameter<std::uint32_t*>(parameters, 0);
  const std::uint32_t config[7] = {1, 1, 1, static_cast<std::uint32_t>(parameter<int>(parameters, 1)), 1, 1, 0};
  std::memcpy(answer, config, sizeof config);
  return 0;
}

int counted = 0;

int scale(void** parameters) {
  const float* in = parameter<const float*>(parameters, 0);
  float* out = parameter<float*>(parameters, 1);
  for (int i = 0; i < parameter<int>(parameters, 2); ++i) out[i] = 2 * in[i];
  return 0;
}

int past(void** parameters) {
  parameter<float*>(parameters, 1)[parameter<int>(parameters, 2) + 3] = 1;
  return scale(parameters);
}

int before(void** parameters) {
  parameter<float*>(parameters, 1)[-2] = 1;
  return scale(parameters);
}

int prints(void** parameters) {
  std::printf("thread %d\n", ++counted);
  return scale(parameters);
}

int stray(void**) { return illegal_address; }
int nothing(void**) { return 0; }
int dies(void**) { return std::raise(SIGSEGV); }
int hangs(void**) {
  for (;;) pause();
}

// The stage's kernels. They make inputs as the device would, and do not wait, because nothing is queued here.
int fill(void** parameters) {
  float* out = parameter<float*>(parameters, 0);
  for (std::size_t i = 0; i < parameter<std::size_t>(parameters, 1); ++i) {
    out[i] = tilelab::timed_input::value(parameter<unsigned long long>(parameters, 2), i, parameter<int>(parameters, 3) != 0);
  }
  return 0;
}

// And whether they are still there; the last parameter is where that is told.
int compare(void** parameters) {
  const float* in = parameter<const float*>(parameters, 0);
  for (std::size_t i = 0; i < parameter<std::size_t>(parameters, 1); ++i) {
    if (in[i] != tilelab::timed_input::value(parameter<unsigned long long>(parameters, 2), i, parameter<int>(parameters, 3) != 0)) {
      *parameter<unsigned*>(parameters, 4) = 1;
    }
  }
  return 0;
}

// M×N transposed into N×M; parameters: in, out, M, N.
int transposes(void** parameters) {
  const float* in = parameter<const float*>(parameters, 0);
  float* out = parameter<float*>(parameters, 1);
  const int M = parameter<int>(parameters, 2), N = parameter<int>(parameters, 3);
  for (int i = 0; i < M * N; ++i) out[i] = in[i % M * N + i / M];
  return 0;
}

float last_ms = 0.25f;  // duration of the last launch

// Right, but a thousand times slower.
int crawls(void** parameters) {
  last_ms = 250.0f;
  return transposes(parameters);
}

// Right, but it is queued only when the device is idle, so the host waits.
int prints_all_the_time(void** parameters) {
  static int launches = 0;
  if (++launches > 1) usleep(600'000);
  return transposes(parameters);
}

// Works a few times, then no more.
int tires(void** parameters) {
  static int launches = 0;
  return ++launches > 6 ? 0 : transposes(parameters);
}

// Right, and its input is another one afterwards.
int meddles(void** parameters) {
  const int done = transposes(parameters);
  parameter<float*>(parameters, 0)[3] += 1;
  return done;
}

// Takes a round's input for the one before.
int foresees(void** parameters) {
  static std::vector<float> expected;
  const float* in = parameter<const float*>(parameters, 0);
  const int count = parameter<int>(parameters, 2) * parameter<int>(parameters, 3);
  std::vector<float> now(in, in + count);
  if (expected.empty()) expected = now;
  const float* guess = expected.data();
  void* guessed[] = {&guess, parameters[1], parameters[2], parameters[3]};
  const int done = transposes(guessed);
  expected = now;
  return done;
}

// A launcher's kernels: out[i] = in[i], and out[i] *= factor.
int copies(void** parameters) {
  const float* in = parameter<const float*>(parameters, 0);
  float* out = parameter<float*>(parameters, 1);
  for (int i = 0; i < parameter<int>(parameters, 2); ++i) out[i] = in[i];
  return 0;
}
int multiplies(void** parameters) {
  float* out = parameter<float*>(parameters, 0);
  for (int i = 0; i < parameter<int>(parameters, 2); ++i) out[i] *= parameter<float>(parameters, 1);
  return 0;
}

constexpr Kernel kernels[] = {
    {"_Z6copiesPKfPfi", {8, 8, 4}, 16, 1024, copies},
    {"_Z10multipliesPffi", {8, 4, 4}, 16, 1024, multiplies},
    {"tilelab_compare", {8, 8, 8, 4}, 8, 1024, compare},
    {"_Z7meddlesPKfPfii", {8, 8, 4, 4}, 16, 1024, meddles},
    {"_Z8foreseesPKfPfii", {8, 8, 4, 4}, 16, 1024, foresees},
    {"tilelab_fill", {8, 8, 8, 4}, 8, 1024, fill},
    {"tilelab_hold", {8, 4, 8}, 8, 1024, nothing},
    {"ask_two", {8, 4, 4}, 8, 1024, ask},
    {"_Z10transposesPKfPfii", {8, 8, 4, 4}, 16, 1024, transposes},
    {"_Z6breaksPKfPfii", {8, 8, 4, 4}, 16, 1024, dies},
    {"_Z5tiresPKfPfii", {8, 8, 4, 4}, 16, 1024, tires},
    {"_Z7printsyPKfPfii", {8, 8, 4, 4}, 16, 1024, prints_all_the_time},
    {"_Z6crawlsPKfPfii", {8, 8, 4, 4}, 16, 1024, crawls},
    {"ask", {8, 4}, 8, 1024, ask},
    {"poison", {4, 4}, 8, 1024, nothing},
    {"_Z5scalePKfPfi", {8, 8, 4}, 16, 1024, scale},
    {"_Z4pastPKfPfi", {8, 8, 4}, 16, 1024, past},
    {"_Z6beforePKfPfi", {8, 8, 4}, 16, 1024, before},
    {"_Z6printsPKfPfi", {8, 8, 4}, 16, 1024, prints},
    {"_Z5strayPKfPfi", {8, 8, 4}, 16, 1024, stray},
    {"_Z4idlePKfPfi", {8, 8, 4}, 16, 1024, nothing},
    {"_Z4idlePKfPfii", {8, 8, 4, 4}, 16, 1024, nothing},
    {"_Z5hangsPKfPfi", {8, 8, 4}, 16, 1024, hangs},
    {"_Z4diesPKfPfi", {8, 8, 4}, 16, 1024, dies},
    {"_Z4widePKfPfi", {8, 8, 4}, 250, 256, scale},
    {"_Z7boundedPKfPfi", {8, 8, 4}, 16, 128, scale},
    {"plain", {8, 4}, 16, 1024, scale},
};

int last = 0;                           // the next synchronisation returns it
void* current = nullptr;                // the context
std::map<std::uint64_t, void*> owners;  // of memory: the context that it was allocated in
// Memory of another context is no memory of this one.
bool is_foreign(std::uint64_t memory) {
  const auto above = owners.upper_bound(memory);
  return above == owners.begin() || std::prev(above)->second != current;
}
const Kernel* kernel_of(const void* function) { return static_cast<const Kernel*>(function); }

}  // namespace

extern "C" {
int cuInit(unsigned) { return std::getenv("FAKE_DRIVER_IS_BROKEN") != nullptr ? 999 : 0; }
int cuDriverGetVersion(int* version) { return *version = 13000, 0; }
int cuGetErrorName(int error, const char** name) { return *name = error == illegal_address ? "ILLEGAL" : "OTHER", 0; }
int cuGetErrorString(int error, const char** text) { return *text = error == illegal_address ? "an illegal access" : "other", 0; }
int cuDeviceGetCount(int* count) { return *count = 1, 0; }
int cuDeviceGet(int* device, int ordinal) { return *device = ordinal, ordinal == 0 ? 0 : invalid_value; }
int cuDeviceGetName(char* name, int bytes, int) { return std::snprintf(name, static_cast<std::size_t>(bytes), "Fake GPU"), 0; }
int cuDeviceGetAttribute(int* value, int which, int) {
  *value = which == 75 ? 9 : which == 76 ? 0 : which == 12 ? 65536 : 4;
  return 0;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = 1u << 30, 0; }
int cuDevicePrimaryCtxSetFlags_v2(int, unsigned) { return 0; }
int cuDevicePrimaryCtxRetain(void** context, int) { return *context = &last, 0; }
int cuCtxCreate_v2(void** context, unsigned, int) { return *context = new int, 0; }
int cuCtxDestroy_v2(void* context) { return delete static_cast<int*>(context), 0; }
int cuCtxSetCurrent(void* context) { return current = context, 0; }
int cuCtxSynchronize() { return last; }
int cuModuleLoadData(void** module, const void*) { return *module = &last, 0; }
int cuModuleUnload(void*) { return 0; }
int cuModuleGetFunction(const void** function, void*, const char* name) {
  for (const Kernel& kernel : kernels) {
    if (std::string_view(kernel.name) == name) return *function = &kernel, 0;
  }
  return not_found;
}
int cuFuncGetParamInfo(const void* function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const int size = index < 4 ? kernel_of(function)->parameters[index] : 0;
  *offset = 0;
  *bytes = static_cast<std::size_t>(size);
  return size == 0 ? invalid_value : 0;
}
int cuFuncGetAttribute(int* value, int which, const void* function) {
  *value = which == 0 ? kernel_of(function)->max_threads : which == 4 ? kernel_of(function)->registers : 0;
  return 0;
}
int cuMemAlloc_v2(std::uint64_t* memory, std::size_t bytes) {
  void* got = std::malloc(bytes);
  *memory = reinterpret_cast<std::uint64_t>(got);
  owners[*memory] = current;
  return got == nullptr ? 2 : (std::memset(got, 0x11, bytes), 0);  // a value that no test writes
}
int cuMemFree_v2(std::uint64_t memory) {
  if (is_foreign(memory)) return invalid_value;
  owners.erase(memory);
  return std::free(reinterpret_cast<void*>(memory)), 0;
}
int cuMemcpyHtoD_v2(std::uint64_t to, const void* from, std::size_t bytes) {
  if (is_foreign(to)) return invalid_value;
  return std::memcpy(reinterpret_cast<void*>(to), from, bytes), 0;
}
int cuMemcpyDtoH_v2(void* to, std::uint64_t from, std::size_t bytes) {
  if (is_foreign(from)) return invalid_value;
  return std::memcpy(to, reinterpret_cast<const void*>(from), bytes), 0;
}
int cuMemsetD32_v2(std::uint64_t memory, unsigned word, std::size_t count) {
  if (is_foreign(memory)) return invalid_value;
  for (std::size_t i = 0; i < count; ++i) reinterpret_cast<unsigned*>(memory)[i] = word;
  return 0;
}
// In order, whatever the stream.
int cuStreamCreate(void** stream, unsigned) { return *stream = &last, 0; }
int cuStreamDestroy_v2(void*) { return 0; }
int cuStreamWaitEvent(void*, void*, unsigned) { return 0; }
int cuFuncSetAttribute(const void*, int, int) { return 0; }
std::uint64_t variable[16];
int cuModuleGetGlobal_v2(std::uint64_t* address, std::size_t* bytes, void*, const char*) {
  *bytes = sizeof variable;
  return *address = reinterpret_cast<std::uint64_t>(variable), 0;
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void*) {
  if (is_foreign(to) || is_foreign(from)) return invalid_value;
  return std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), bytes), 0;
}
int cuMemsetD8Async(std::uint64_t memory, unsigned char byte, std::size_t count, void*) {
  return std::memset(reinterpret_cast<void*>(memory), byte, count), 0;
}
int cuEventCreate(void** event, unsigned) { return *event = &last, 0; }
int cuEventDestroy_v2(void*) { return 0; }
int cuEventRecord(void*, void*) { return 0; }
int cuEventElapsedTime(float* ms, void*, void*) { return *ms = last_ms, 0; }
int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) { return *memory = std::malloc(bytes), 0; }
int cuMemFreeHost(void* memory) { return std::free(memory), 0; }
int cuMemHostGetDevicePointer_v2(std::uint64_t* address, void* memory, unsigned) {
  return *address = reinterpret_cast<std::uint64_t>(memory), 0;
}
int cuDeviceGetPCIBusId(char* text, int bytes, int) { return std::snprintf(text, static_cast<std::size_t>(bytes), "0000:00:00.0"), 0; }
int cuDeviceGetUuid(char* uuid, int) { return std::memset(uuid, 7, 16), 0; }
int cuLaunchKernel(const void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void*, void** parameters,
                   void**) {
  last_ms = 0.25f;
  last = kernel_of(function)->run(parameters);
  return 0;
}

// Column-major without transposition, like the real cuBLAS.
int cublasCreate_v2(void** handle) { return *handle = &last, 0; }
int cublasDestroy_v2(void*) { return 0; }
int cublasSetMathMode(void*, int mode) { return mode == 2 ? 0 : 7; }  // CUBLAS_STATUS_INVALID_VALUE: fp32 alone is expected
int cublasSgemm_v2(void*, int, int, int m, int n, int k, const float* alpha, const float* A, int lda, const float* B, int ldb,
                   const float* beta, float* C, int ldc) {
  for (int column = 0; column < n; ++column) {
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += A[i * lda + row] * B[column * ldb + i];
      float& element = C[column * ldc + row];
      element = *alpha * sum + (*beta == 0 ? 0 : *beta * element);
    }
  }
  return last = 0;
}
}
