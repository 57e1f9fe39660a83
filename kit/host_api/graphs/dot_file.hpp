// A graph as a file that Graphviz draws: nodes with their kinds and, of kernels, their sizes. Not the text that CUDA writes.
#pragma once

#include "host_api/graphs/graph.hpp"

namespace tilelab_host {

bool write_dot_file(const Graph& graph, const char* path);  // false: it cannot be written

}  // namespace tilelab_host
