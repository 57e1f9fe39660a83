// How an executable graph runs: its nodes one after the other, each in a branch. Nodes of one branch follow each other by edges; an edge
// between two branches becomes an event. So the conductor, which knows streams and events, knows exactly the order that the edges give.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "host_api/graphs/graph.hpp"

namespace tilelab_host {

struct GraphPlan;

struct PlanStep {
  GraphNode* node = nullptr;         // null: a child graph begins here
  std::size_t branch = 0;            // 0: the stream of the launch itself
  bool begins = false;               // its branch, which is not 0
  std::vector<std::size_t> waits{};  // steps of other branches that it comes after
  bool is_waited_for = false;        // by a step of another branch, or by the end
  std::vector<GraphPlan> bodies{};   // of a condition
};

struct GraphPlan {
  std::vector<PlanStep> steps{};
  std::size_t branches = 1;
  std::vector<std::size_t> ends{};  // the last step of each branch but the first
};

// Nothing: the edges make a circle.
std::optional<GraphPlan> plan_of(const Graph& graph);

}  // namespace tilelab_host
