// The program's calls that make memory, arrays, textures and a launcher's operands.
#pragma once

#include <optional>
#include <vector>

#include "program/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

// The program's calls that allocate and free memory, and ask where a pointer leads. What it copies is in copy_calls.hpp.

class MemoryCalls {
 public:
  explicit MemoryCalls(Session& session) : session_(session) {}

  Reply allocate(const HostRequest& request);
  Reply free(const HostRequest& request);
  Reply pointer(const HostRequest& request);

 private:
  Reply revive(const HostRequest& request);
  void note_whole(const HostRequest& request, Allocation& one);

  Session& session_;
};

// The program's calls that make CUDA arrays, and ask about them. Copies are in copy_calls.hpp, the end of an array's life is in
// memory_calls.hpp.

class ArrayCalls {
 public:
  explicit ArrayCalls(Session& session) : session_(session) {}
  Reply array(const HostRequest& request);

 private:
  Reply create(const HostRequest& request);
  Reply level(const HostRequest& request, const Allocation& array);
  Reply info(const HostRequest& request, const Allocation& array);

  Session& session_;
};

// As the program describes texels.
ChannelFormat channels_of(const HostRequest& request);

// The program's calls that make textures and surfaces, which show an array or linear memory to kernels, and destroy them.

class TextureCalls {
 public:
  explicit TextureCalls(Session& session) : session_(session) {}
  Reply texture(const HostRequest& request);

 private:
  Reply create(const HostRequest& request);
  // The memory that `address` leads to, with so much room from there on. A mistake is recorded and gives nothing.
  const Allocation* memory_of(const HostRequest& request, std::size_t bytes);
  std::optional<CudaError> show_array(const HostRequest& request, protocol::ProgramTexture& made);
  std::optional<CudaError> show_memory(const HostRequest& request, protocol::ProgramTexture& made);
  static std::optional<CudaError> describe(const HostRequest& request, protocol::TextureDescription& description);

  Session& session_;
};

// A launcher's operands: memory that is there before the program starts, and what it holds when the launcher has come back. A whole
// program with a main of its own has none.

class OperandCalls {
 public:
  // Reads what the operands hold before. Throws std::runtime_error where that cannot be read, or there is no room.
  explicit OperandCalls(Session& session);

  // The addresses and values, in the order of program.json. `count`: how many the program expects.
  Reply operands(const HostRequest& request);
  // The launcher came back: waits for the device, writes down what the operands hold, and ends the run. Throws std::runtime_error.
  void finish(const HostRequest& request);

 private:
  Session& session_;
  std::vector<Allocation*> places_;  // null: a scalar
};

}  // namespace tilelab::program
