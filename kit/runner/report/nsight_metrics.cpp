// The names are Nsight Compute's, from its metrics reference for the L1TEX and SMSP units. Each metric counts loads, stores or
// atomics; here the kind of the source statement decides which.
#include "runner/report/nsight_metrics.hpp"

#include <array>
#include <utility>

namespace tilelab {
namespace {

using simt::AccessKind;
using simt::RequestTally;
using simt::Space;

struct Names {
  const char *global_requests, *global_sectors, *shared_instructions, *shared_wavefronts, *shared_conflicts;
};

constexpr std::array<Names, 3> names_by_kind{{
    {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
     "smsp__inst_executed_op_shared_ld.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"},
    {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
     "smsp__inst_executed_op_shared_st.sum", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
     "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"},
    // Beyond its request, the cost of an atomic depends on whether its result is used. A statement does not tell that.
    {"l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum", nullptr, "smsp__inst_executed_op_shared_atom.sum", nullptr, nullptr},
}};
static_assert(static_cast<int>(AccessKind::read) == 0 && static_cast<int>(AccessKind::write) == 1 &&
              static_cast<int>(AccessKind::atomic) == 2);

void add(protocol::Metrics& metrics, const RequestTally& tally) {
  const Names& names = names_by_kind[static_cast<std::size_t>(tally.kind)];
  if (tally.space == Space::shared) {
    metrics[names.shared_instructions] += tally.requests;
    if (names.shared_wavefronts == nullptr) return;
    metrics[names.shared_wavefronts] += tally.wavefronts;
    metrics[names.shared_conflicts] += tally.wavefronts - tally.least_wavefronts;
  } else {
    metrics[names.global_requests] += tally.requests;
    if (names.global_sectors != nullptr) metrics[names.global_sectors] += tally.sectors;
  }
}

}  // namespace

protocol::Traffic nsight_metrics(const std::vector<RequestTally>& tallies, bool complete, const Image& image) {
  protocol::Traffic traffic;
  traffic.complete = complete;
  for (const AccessKind kind : {AccessKind::read, AccessKind::write}) {  // so that metrics that were never counted are reported as 0
    for (const Space space : {Space::global, Space::shared}) {
      RequestTally none;
      none.space = space;
      none.kind = kind;
      add(traffic.metrics, none);
    }
  }
  std::map<std::pair<std::string, int>, protocol::Metrics> lines;
  for (const RequestTally& tally : tallies) {
    add(traffic.metrics, tally);
    const CodeLine* place = image.line_at(tally.pc);
    if (place != nullptr) add(lines[{image.files.at(place->file), place->line}], tally);
  }
  for (auto& [place, metrics] : lines) {
    if (traffic.lines.size() == protocol::most_traffic_lines) break;
    traffic.lines.push_back({place.first, place.second, std::move(metrics)});
  }
  return traffic;
}

}  // namespace tilelab
