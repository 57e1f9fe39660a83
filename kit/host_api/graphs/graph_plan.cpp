// Implements graph_plan.hpp. Child graphs become steps like all others.
#include "host_api/graphs/graph_plan.hpp"

#include <algorithm>
#include <unordered_map>

namespace tilelab_host {
namespace {

using Places = std::vector<std::size_t>;

// A step and what it comes after, before branches are known.
struct Loose {
  GraphNode* node;
  Places before;
};

// Adds the graph's nodes. `before`: of nodes without edges to them. `ends`: the steps that nothing in the graph comes after.
bool flatten(const Graph& graph, const Places& before, std::vector<Loose>& steps, Places& ends) {
  const std::vector<GraphNode*> order = graph.in_order();
  if (order.size() != graph.nodes().size()) return false;
  std::unordered_map<const GraphNode*, Places> done;  // the steps that a node has ended with
  for (GraphNode* const node : order) {
    Places own = before;
    if (!node->before.empty()) own.clear();
    for (const GraphNode* const one : node->before) own.insert(own.end(), done[one].begin(), done[one].end());
    const auto* const child = std::get_if<ChildWork>(&node->work);
    steps.push_back({child != nullptr ? nullptr : node, own});
    Places& end = done[node];
    end = {steps.size() - 1};
    if (child != nullptr && !child->graph->nodes().empty()) {
      const Places start = end;
      end.clear();
      if (!flatten(*child->graph, start, steps, end)) return false;
    }
  }
  for (const GraphNode* const node : order) {
    if (node->after.empty()) ends.insert(ends.end(), done[node].begin(), done[node].end());
  }
  return true;
}

// For each step, which steps come before it.
class Earlier {
 public:
  explicit Earlier(const std::vector<Loose>& steps) : rows_(steps.size(), std::vector<bool>(steps.size())) {
    for (std::size_t i = 0; i < steps.size(); ++i) {
      for (const std::size_t one : steps[i].before) {
        rows_[i][one] = true;
        for (std::size_t k = 0; k < one; ++k) rows_[i][k] = rows_[i][k] || rows_[one][k];
      }
    }
  }
  bool has(std::size_t step, std::size_t earlier) const { return rows_[step][earlier]; }

 private:
  std::vector<std::vector<bool>> rows_;
};

}  // namespace

std::optional<GraphPlan> plan_of(const Graph& graph) {
  std::vector<Loose> loose;
  Places ends;
  if (!flatten(graph, {}, loose, ends)) return std::nullopt;
  const Earlier earlier(loose);
  GraphPlan plan;
  Places last;  // step of each branch
  for (std::size_t i = 0; i < loose.size(); ++i) {
    PlanStep step;
    step.node = loose[i].node;
    std::size_t branch = 0;
    while (branch < last.size() && !earlier.has(i, last[branch])) ++branch;
    step.branch = branch;
    step.begins = branch == last.size() && branch != 0;
    for (const std::size_t one : loose[i].before) {
      if (plan.steps[one].branch == branch) continue;
      step.waits.push_back(one);
      plan.steps[one].is_waited_for = true;
    }
    if (branch == last.size()) last.push_back(i);
    last[branch] = i;
    if (const auto* const conditional = step.node != nullptr ? std::get_if<ConditionalWork>(&step.node->work) : nullptr) {
      for (const auto& body : conditional->bodies) {
        auto planned = plan_of(*body);
        if (!planned) return std::nullopt;
        step.bodies.push_back(std::move(*planned));
      }
    }
    plan.steps.push_back(std::move(step));
  }
  plan.branches = std::max<std::size_t>(last.size(), 1);
  for (std::size_t branch = 1; branch < last.size(); ++branch) {
    plan.ends.push_back(last[branch]);
    plan.steps[last[branch]].is_waited_for = true;
  }
  return plan;
}

}  // namespace tilelab_host
