// What the program said about each of its streams when it made it, the hidden streams in which branches of its graphs run, and the
// streams whose work becomes nodes of a graph.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "host/graphs/graph.hpp"
#include "host/runtime_graphs.hpp"
#include "host/runtime_types.hpp"

namespace tilelab_host {

struct StreamTraits {
  unsigned int flags = cudaStreamDefault;
  int priority = 0;
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

cudaError_t record(cudaEvent_t event, cudaStream_t stream, const Call& call);
cudaError_t wait(cudaStream_t stream, cudaEvent_t event, const Call& call);
// The host's function runs when its turn has come: the library waits for that.
cudaError_t call_host(const cudaHostNodeParams& host, cudaStream_t stream, const Call& call);

// Streams whose work becomes nodes of a graph instead of running: which streams are captured, what their next node comes after, and which
// calls are not allowed meanwhile.

// The call adds work to the stream. Nothing: the stream is not captured, and the call goes on. Otherwise what it returns: `make` has made
// the node's work, or the call is not allowed. `call`: the function of CUDA; `at`: where it was called.
using MakeWork = std::function<cudaError_t(Work&)>;
std::optional<cudaError_t> capture(cudaStream_t stream, const Call& call, const MakeWork& make);
// The same of a copy or a fill. One that the host waits for is in no graph.
std::optional<cudaError_t> capture_copy(const CopyOrder& order, const Call& call, const MakeWork& make);

// The call would wait for a stream, look at it, or do something else that a captured stream cannot do. Nothing: it goes on.
std::optional<cudaError_t> wait_in_capture(cudaStream_t stream, const Call& call);
std::optional<cudaError_t> wait_for_all_in_capture(const Call& call);
std::optional<cudaError_t> use_of_legacy_stream(const Call& call);
// A call that CUDA may carry out in more than one way: it is allowed or not by the modes of the captures.
std::optional<cudaError_t> unsafe_in_capture(const Call& call);

// Events that were last recorded in a captured stream order nodes, and no work. Nothing: the call goes on.
std::optional<cudaError_t> record_in_capture(cudaEvent_t event, cudaStream_t stream, const Call& call);
std::optional<cudaError_t> wait_for_event_in_capture(cudaStream_t stream, cudaEvent_t event, const Call& call);
std::optional<cudaError_t> use_of_captured_event(cudaEvent_t event, const Call& call);

void forget_event(cudaEvent_t event);
void forget_stream(cudaStream_t stream);
bool is_any_captured();
// The graph that the stream's work becomes; null: it is not captured.
const Graph* graph_of_capture(cudaStream_t stream);

}  // namespace tilelab_host
