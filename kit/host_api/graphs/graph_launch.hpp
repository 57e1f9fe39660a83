// Executable graphs: a copy of a graph with the plan of its run, and the run itself. Each node asks the conductor for what it does, as a
// call of the program would have, from the place where the node was made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host_api/graphs/graph.hpp"
#include "host_api/graphs/graph_plan.hpp"

namespace tilelab_host {

struct ExecutableGraph {
  std::shared_ptr<Graph> graph;  // its own copy
  GraphPlan plan;
  unsigned long long flags = 0;
  cudaEvent_t ended = nullptr;  // recorded at the end of each launch: launches of one graph follow each other
};

// Null: there is no such graph (any more).
ExecutableGraph* executable_of(cudaGraphExec_t handle);
cudaGraphExec_t keep_executable(std::unique_ptr<ExecutableGraph> made);
bool drop_executable(cudaGraphExec_t handle);

cudaError_t launch_graph(ExecutableGraph& one, cudaStream_t stream, std::uintptr_t at);

}  // namespace tilelab_host
