// Runs executable graphs, and keeps the memory that their nodes allocate.
#include <algorithm>
#include <atomic>
#include <map>

#include "host/graphs/graph.hpp"
#include "host/graphs/stream_capture.hpp"
#include "host/library/host_session.hpp"

namespace tilelab_host {
namespace {

struct Reserved {
  std::size_t bytes = 0;
  std::size_t chunk = 0;  // of the device's memory, that it has while it is alive
  bool is_live = false;
};
struct FreeChunk {
  std::size_t bytes = 0;
  cudaStream_t stream = nullptr;  // in which it was freed
};
// Never destroyed, as the graphs are not. Guarded by graphs_mutex().
struct ChunkTable {
  std::map<const void*, Reserved> reserved;
  std::vector<FreeChunk> free;
  GraphMemory sums;
};
ChunkTable& chunk_table() {
  static ChunkTable* const made = new ChunkTable;
  return *made;
}

void take_chunk(Reserved& one, cudaStream_t stream) {
  auto& [all, free, sums] = chunk_table();
  const auto fits = [&](const FreeChunk& chunk) { return chunk.stream == stream && chunk.bytes >= one.bytes; };
  const auto found = std::ranges::find_if(free, fits);
  one.is_live = true;
  one.chunk = found == free.end() ? one.bytes : found->bytes;
  if (found != free.end()) {
    free.erase(found);
    return;
  }
  sums.used += one.chunk;
  sums.reserved = sums.used;
  sums.used_high = std::max(sums.used_high, sums.used);
  sums.reserved_high = std::max(sums.reserved_high, sums.reserved);
}

void leave_chunk(Reserved& one, cudaStream_t stream) {
  one.is_live = false;
  chunk_table().free.push_back({one.chunk, stream});
}

template <typename Kind, typename Visit>
void for_each_work(const Graph& graph, const Visit& visit) {
  for (const auto& node : graph.nodes()) {
    if (const auto* const work = std::get_if<Kind>(&node->work)) visit(*work);
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) for_each_work<Kind>(*child->graphs[0], visit);
  }
}

}  // namespace

cudaError_t alloc_work(cudaMemAllocNodeParams* params, Work& work, const Call& call) {
  if (!params || params->bytesize == 0) return refuse(call);
  const cudaMemLocation& place = params->poolProps.location;
  if (params->poolProps.allocType != cudaMemAllocationTypePinned || place.type != cudaMemLocationTypeDevice) return refuse(call);
  if (place.id != 0) return refuse(call, cudaErrorInvalidDevice);
  const json asked = {{"bytes", params->bytesize}, {"kind", "device"}, {"reserved", true}};
  if (const cudaError_t error = request("allocate", call, asked, "address", params->dptr); error != cudaSuccess) return error;
  chunk_table().reserved[params->dptr].bytes = params->bytesize;
  cudaMemAllocNodeParams made = *params;
  made.accessDescs = nullptr;
  made.accessDescCount = 0;
  work = made;
  return cudaSuccess;
}

cudaError_t free_work(void* pointer, const Graph& graph, Work& work, const Call& call) {
  bool is_freed_twice = false;
  for_each_work<cudaMemFreeNodeParams>(graph, [&](const auto& one) { is_freed_twice |= one.dptr == pointer; });
  if (is_freed_twice || !is_of_graph(pointer)) return refuse(call);
  work = cudaMemFreeNodeParams{pointer};
  return cudaSuccess;
}

bool is_of_graph(const void* pointer) { return chunk_table().reserved.contains(pointer); }

bool has_memory_nodes(const Graph& graph) {
  bool has = false;
  for_each_work<cudaMemAllocNodeParams>(graph, [&](const auto&) { has = true; });
  for_each_work<cudaMemFreeNodeParams>(graph, [&](const auto&) { has = true; });
  return has;
}

cudaError_t allocate_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  Reserved& one = chunk_table().reserved[pointer];
  const cudaError_t error =
      request("allocate", call, {{"bytes", one.bytes}, {"kind", "device"}, {"address", number_of(pointer)}, {"stream", number_of(stream)}});
  if (error == cudaSuccess) take_chunk(one, launched_in);
  return error;
}

cudaError_t free_for_graph(void* pointer, cudaStream_t launched_in, cudaStream_t stream, const Call& call) {
  const std::lock_guard lock(graphs_mutex());
  const cudaError_t error =
      request("free", call, {{"address", number_of(pointer)}, {"kind", "device"}, {"async", true}, {"stream", number_of(stream)}});
  if (error == cudaSuccess) note_freed_graph_memory(pointer, launched_in);
  return error;
}

cudaError_t free_left_over(const Graph& graph, cudaStream_t stream, const Call& call) {
  cudaError_t error = cudaSuccess;
  for_each_work<cudaMemAllocNodeParams>(graph, [&](const auto& one) {
    const std::lock_guard lock(graphs_mutex());
    if (error == cudaSuccess && chunk_table().reserved[one.dptr].is_live) error = free_for_graph(one.dptr, stream, stream, call);
  });
  return error;
}

bool note_freed_graph_memory(const void* pointer, cudaStream_t stream) {
  const std::lock_guard lock(graphs_mutex());
  const auto found = chunk_table().reserved.find(pointer);
  if (found == chunk_table().reserved.end()) return false;
  if (found->second.is_live) leave_chunk(found->second, stream);
  return true;
}

GraphMemory graph_memory() {
  const std::lock_guard lock(graphs_mutex());
  return chunk_table().sums;
}

void trim_graph_memory() {
  const std::lock_guard lock(graphs_mutex());
  auto& [all, free, sums] = chunk_table();
  for (const FreeChunk& one : free) sums.used -= one.bytes;
  sums.reserved = sums.used;
  free.clear();
}

namespace {

std::map<cudaGraphExec_t, std::unique_ptr<ExecutableGraph>>& executables() {
  static auto* const all = new std::map<cudaGraphExec_t, std::unique_ptr<ExecutableGraph>>;  // never destroyed
  return *all;
}

// Events of the library's own, as long as a launch lasts.
class LentEvents {
 public:
  explicit LentEvents(std::size_t count) : events_(count) {}
  ~LentEvents() {
    for (const cudaEvent_t one : events_) return_event(one);
  }
  LentEvents(const LentEvents&) = delete;
  LentEvents& operator=(const LentEvents&) = delete;
  cudaEvent_t operator[](std::size_t place) {
    if (events_[place] == nullptr) events_[place] = borrow_event();
    return events_[place];
  }

 private:
  std::vector<cudaEvent_t> events_;
};

// One launch.
class Run {
 public:
  Run(cudaStream_t launched_in, const Call& call) : launched_in_(launched_in), call_(call) {
    static std::atomic<std::uint64_t> launches = 0;
    number_ = ++launches;
  }

  cudaError_t all(const ExecutableGraph& one) {
    const cudaError_t error = assign_conditions(*one.graph, launched_in_, from(call_.at));
    return error == cudaSuccess ? all_of(one.plan, launched_in_) : error;
  }

 private:
  Call from(std::uintptr_t at) const { return {call_.name, at, number_}; }

  cudaError_t all_of(const GraphPlan& plan, cudaStream_t stream) {
    std::vector<cudaStream_t> branches = branches_of(stream, plan.branches - 1);
    branches.insert(branches.begin(), stream);
    LentEvents events(plan.steps.size() + 1);
    const std::size_t start = plan.steps.size();
    cudaError_t error = plan.branches > 1 ? record(events[start], stream, call_) : cudaSuccess;
    for (std::size_t i = 0; i < plan.steps.size() && error == cudaSuccess; ++i) {
      const PlanStep& step = plan.steps[i];
      const cudaStream_t branch = branches[step.branch];
      if (step.begins) error = wait(branch, events[start], call_);
      for (const std::size_t one : step.waits) {
        if (error == cudaSuccess) error = wait(branch, events[one], call_);
      }
      if (error == cudaSuccess && step.node != nullptr) error = perform(step, branch);
      if (error == cudaSuccess && step.is_waited_for) error = record(events[i], branch, call_);
    }
    for (const std::size_t one : plan.ends) {
      if (error == cudaSuccess) error = wait(stream, events[one], call_);
    }
    return error;
  }

  cudaError_t perform(const PlanStep& step, cudaStream_t stream) {
    const Call call = from(step.node->at);
    const Work& work = step.node->work;
    if (const auto* const kernel = std::get_if<KernelWork>(&work)) return launch(*kernel, stream, call);
    if (const auto* const copy = std::get_if<cudaMemcpy3DParms>(&work)) return copy_slices(*copy, {copy->kind, stream, true}, call);
    if (const auto* const fill = std::get_if<cudaMemsetParams>(&work)) return fill_rows(*fill, {cudaMemcpyDefault, stream, true}, call);
    if (const auto* const host = std::get_if<cudaHostNodeParams>(&work)) return call_host(*host, stream, {call.name, call.at});
    if (const auto* const one = std::get_if<cudaMemAllocNodeParams>(&work))
      return allocate_for_graph(one->dptr, launched_in_, stream, call);
    if (const auto* const one = std::get_if<cudaMemFreeNodeParams>(&work)) return free_for_graph(one->dptr, launched_in_, stream, call);
    if (const auto* const one = std::get_if<ConditionalWork>(&work)) return choose(*one, step.bodies, stream, call);
    return cudaSuccess;
  }

  cudaError_t choose(const ConditionalWork& one, const std::vector<GraphPlan>& bodies, cudaStream_t stream, const Call& call) {
    for (;;) {
      unsigned int value = 0;
      cudaError_t error = read_condition(one.handle, stream, call, value);
      const std::size_t chosen = one.type == cudaGraphCondTypeSwitch ? value : value != 0 ? 0 : 1;
      if (error != cudaSuccess || chosen >= bodies.size()) return error;
      error = all_of(bodies[chosen], stream);
      if (error != cudaSuccess || one.type != cudaGraphCondTypeWhile) return error;
    }
  }

  static cudaError_t launch(const KernelWork& kernel, cudaStream_t stream, const Call& call) {
    LaunchShape shape = kernel.shape;
    shape.stream = stream;
    std::vector<KernelParameter> parameters;
    for (const auto& value : kernel.values) parameters.push_back({value.data(), value.size()});
    return request_launch(kernel.name, shape, parameters, call);
  }

  cudaStream_t launched_in_;
  Call call_;
  std::uint64_t number_ = 0;
};

}  // namespace

ExecutableGraph* executable_of(cudaGraphExec_t handle) {
  const auto found = executables().find(handle);
  return found == executables().end() ? nullptr : found->second.get();
}

cudaGraphExec_t keep_executable(std::unique_ptr<ExecutableGraph> made) {
  const auto handle = reinterpret_cast<cudaGraphExec_t>(made.get());
  executables()[handle] = std::move(made);
  return handle;
}

bool drop_executable(cudaGraphExec_t handle) {
  const auto found = executables().find(handle);
  if (found == executables().end()) return false;
  return_event(found->second->ended);
  executables().erase(found);
  return true;
}

cudaError_t launch_graph(ExecutableGraph& one, cudaStream_t stream, const Call& call) {
  cudaError_t error = cudaSuccess;
  if (one.ended == nullptr)
    one.ended = borrow_event();
  else
    error = wait(stream, one.ended, call);
  if (error == cudaSuccess && (one.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0) error = free_left_over(*one.graph, stream, call);
  if (error == cudaSuccess) error = Run(stream, call).all(one);
  if (error == cudaSuccess) error = record(one.ended, stream, call);
  return error;
}

}  // namespace tilelab_host
