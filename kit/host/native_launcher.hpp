// launcher_call.hpp for a real GPU: nvcc compiles it together with the student's text. The operands are files in the current folder, which
// the judge writes before the run and reads after it (kit/judge/programs/native_run.hpp). Not for the executor.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "launcher_call.hpp"

extern "C" [[noreturn]] void tilelab_turn_is_over(int status);  // kit/gpu/program_turns.cpp

namespace tilelab_host {
namespace native {

struct Buffer {
  std::size_t place = 0, bytes = 0;
  void* memory = nullptr;
  bool on_host = false;
};

inline std::vector<Buffer>& buffers() {
  static std::vector<Buffer> all;
  return all;
}

[[noreturn]] inline void give_up(const char* why) {
  if (std::FILE* file = std::fopen("tilelab_error", "wb")) {
    std::fputs(why, file);
    std::fclose(file);
  }
  std::fflush(nullptr);
  std::_Exit(3);
}

inline void expect(cudaError_t error) {
  if (error != cudaSuccess) give_up(cudaGetErrorString(error));
}

inline std::vector<char> content(std::size_t place, std::size_t bytes) {
  std::vector<char> all(bytes);
  std::FILE* const file = std::fopen(("tilelab_" + std::to_string(place)).c_str(), "rb");
  if (file == nullptr || std::fread(all.data(), 1, bytes, file) != bytes) give_up("an operand is not there");
  std::fclose(file);
  return all;
}

inline void* memory_with(const std::vector<char>& before, bool on_host) {
  if (before.empty()) return nullptr;
  void* memory = nullptr;
  if (on_host) {
    memory = std::malloc(before.size());
    if (memory == nullptr) give_up("there is no room for an operand");
    std::memcpy(memory, before.data(), before.size());
    return memory;
  }
  expect(cudaMalloc(&memory, before.size()));
  expect(cudaMemcpy(memory, before.data(), before.size(), cudaMemcpyHostToDevice));
  return memory;
}

inline void keep(const Buffer& one) {
  std::vector<char> after(one.bytes);
  if (one.on_host && one.bytes != 0) std::memcpy(after.data(), one.memory, one.bytes);
  if (!one.on_host && one.bytes != 0) expect(cudaMemcpy(after.data(), one.memory, one.bytes, cudaMemcpyDeviceToHost));
  std::FILE* const file = std::fopen(("tilelab_" + std::to_string(one.place) + ".out").c_str(), "wb");
  if (file == nullptr || std::fwrite(after.data(), 1, after.size(), file) != after.size() || std::fclose(file) != 0)
    give_up("a result cannot be written");
}

}  // namespace native

// A line for each operand: "device inout 4000", "host input 400", "scalar 1000".
inline const OperandValue* launcher_operands(std::size_t count) {
  static std::vector<OperandValue> values;
  values.clear();
  std::FILE* const file = std::fopen("tilelab_operands", "rb");
  if (file == nullptr) native::give_up("the operands are not there");
  char kind[16], role[16];
  for (std::size_t place = 0; std::fscanf(file, "%15s", kind) == 1; ++place) {
    OperandValue value;
    if (std::strcmp(kind, "scalar") == 0) {
      if (std::fscanf(file, "%lf", &value.number) != 1) native::give_up("a scalar is not there");
    } else {
      native::Buffer one;
      if (std::fscanf(file, "%15s %zu", role, &one.bytes) != 2) native::give_up("a buffer is not there");
      one.place = place;
      one.on_host = std::strcmp(kind, "host") == 0;
      one.memory = native::memory_with(native::content(place, one.bytes), one.on_host);
      value.address = one.memory;
      native::buffers().push_back(one);
    }
    values.push_back(value);
  }
  std::fclose(file);
  if (values.size() != count) native::give_up("the launcher has another number of parameters than there are operands");
  return values.data();
}

inline void launcher_done() {
  native::expect(cudaDeviceSynchronize());
  for (const native::Buffer& one : native::buffers()) native::keep(one);
  for (const native::Buffer& one : native::buffers()) one.on_host ? std::free(one.memory) : static_cast<void>(cudaFree(one.memory));
  native::buffers().clear();
  tilelab_turn_is_over(0);
}

}  // namespace tilelab_host
