// What the program said about each of its streams when it made it, and the hidden streams in which branches of its graphs run.
#pragma once

#include <cstddef>
#include <vector>

#include "host_api/runtime_types.hpp"

namespace tilelab_host {

struct StreamTraits {
  unsigned int flags = cudaStreamDefault;
  int priority = 0;
  cudaAccessPolicyWindow window{};
  cudaSynchronizationPolicy policy = cudaSyncPolicyAuto;
};

void remember_stream(cudaStream_t stream, StreamTraits traits);
StreamTraits traits_of(cudaStream_t stream);
bool is_stream(cudaStream_t stream);
bool is_blocking(cudaStream_t stream);

// `count` streams for the branches of graphs that are launched in `stream`. Launches in one stream follow each other, so they have
// the same ones. Where no more can be made, `stream` itself stands for the rest.
std::vector<cudaStream_t> branches_of(cudaStream_t stream, std::size_t count);
// The streams for its branches go too.
void drop_stream(cudaStream_t stream);

// Events of the library's own. Null: there are too many.
cudaEvent_t borrow_event();
void return_event(cudaEvent_t event);

}  // namespace tilelab_host
