// The program's calls that make textures and surfaces, which show an array or linear memory to kernels, and destroy them.
#pragma once

#include <optional>

#include "program/host/host_request.hpp"
#include "program/session.hpp"

namespace tilelab::program {

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

}  // namespace tilelab::program
