// Implements dot_file.hpp.
#include "host_api/graphs/dot_file.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace tilelab_host {
namespace {

std::string demangled(const std::string& name) {
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, nullptr);
  std::string plain = text != nullptr ? text : name;
  std::free(text);
  return plain;
}

std::string extent(const dim3& one) { return std::to_string(one.x) + "," + std::to_string(one.y) + "," + std::to_string(one.z); }

std::string label(const GraphNode& node) {
  switch (type_of(node.work)) {
    case cudaGraphNodeTypeKernel: {
      const auto& kernel = std::get<KernelWork>(node.work);
      return "KERNEL\\n" + demangled(kernel.name) + "\\n<<<" + extent(kernel.shape.grid) + ", " + extent(kernel.shape.block) + ", " +
             std::to_string(kernel.shape.shared_bytes) + ">>>";
    }
    case cudaGraphNodeTypeMemcpy: return "MEMCPY";
    case cudaGraphNodeTypeMemset: return "MEMSET";
    case cudaGraphNodeTypeHost: return "HOST";
    case cudaGraphNodeTypeGraph: return "GRAPH";
    case cudaGraphNodeTypeWaitEvent: return "EVENT_WAIT";
    case cudaGraphNodeTypeEventRecord: return "EVENT_RECORD";
    case cudaGraphNodeTypeMemAlloc: return "MEM_ALLOC";
    case cudaGraphNodeTypeMemFree: return "MEM_FREE";
    case cudaGraphNodeTypeConditional: return "CONDITIONAL";
    default: return "EMPTY";
  }
}

std::string name_of(const GraphNode& node) { return "\"node_" + std::to_string(node.id) + "\""; }

void write(std::ofstream& file, const Graph& graph) {
  for (const auto& node : graph.nodes()) file << "  " << name_of(*node) << " [shape=\"box\" label=\"" << label(*node) << "\"];\n";
  for (const auto& node : graph.nodes()) {
    for (const GraphNode* const next : node->after) file << "  " << name_of(*node) << " -> " << name_of(*next) << ";\n";
    const auto inner = [&](const Graph& one) {
      file << "  subgraph \"cluster_" << node->id << "\" {\n";
      write(file, one);
      file << "  }\n";
    };
    if (const auto* const child = std::get_if<ChildWork>(&node->work)) inner(*child->graph);
    if (const auto* const conditional = std::get_if<ConditionalWork>(&node->work)) {
      for (const auto& body : conditional->bodies) inner(*body);
    }
  }
}

}  // namespace

bool write_dot_file(const Graph& graph, const char* path) {
  std::ofstream file(path);
  file << "digraph dot {\n";
  write(file, graph);
  file << "}\n";
  file.close();
  return bool(file);
}

}  // namespace tilelab_host
