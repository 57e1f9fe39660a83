#include "runner/report/launch_report.hpp"

#include <array>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace tilelab {
namespace {

using protocol::Trace;
using protocol::TracedStep;

const char* space_name(simt::Space space) {
  switch (space) {
    case simt::Space::global: return "global";
    case simt::Space::shared: return "shared";
    case simt::Space::module: break;
  }
  return "module";
}

// The entries of a table without repetition, in the order of first use.
template <class Key, class Entry>
class Numbered {
 public:
  explicit Numbered(std::vector<Entry>& entries) : entries_(entries) {}
  template <class Make>
  std::uint32_t number(const Key& key, Make make) {
    const auto [found, fresh] = numbers_.try_emplace(key, static_cast<std::uint32_t>(entries_.size()));
    if (fresh) entries_.push_back(make());
    return found->second;
  }

 private:
  std::vector<Entry>& entries_;
  std::map<Key, std::uint32_t> numbers_;
};

std::string exchanged(const simt::TraceStep& step) {
  switch (step.type) {
    case simt::ExchangedType::floating: return step.bytes == 8 ? "double" : "float";
    case simt::ExchangedType::whole: return step.bytes == 8 ? "long long" : "int";
    case simt::ExchangedType::natural: return step.bytes == 8 ? "unsigned long long" : "unsigned";
    case simt::ExchangedType::bits: break;
  }
  return "";
}

protocol::TracedArray array_of(const simt::Region& region) {
  return {.name = region.name,
          .space = space_name(region.space),
          .element = region.element,
          .element_bytes = region.element_bytes,
          .dimensions = region.dimensions,
          .base = region.base % protocol::TracedArray::bank_row};
}

using simt::AccessKind;
using simt::RequestTally;
using simt::Space;

// The names are Nsight Compute's, from its metrics reference for the L1TEX and SMSP units. Each metric counts loads, stores or
// atomics; here the kind of the source statement decides which.
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

// Counted requests under those names, for the whole launch and for each source line.
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
    if (tally.is_constant) continue;
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

}  // namespace

Trace named_trace(simt::TraceRecorder& recorded, const Image& image) {
  Trace trace;
  trace.complete = recorded.complete();
  trace.full = recorded.full();
  Numbered<const simt::Region*, protocol::TracedArray> arrays(trace.arrays);
  Numbered<std::tuple<std::uintptr_t, std::string, std::string>, protocol::TracedPlace> places(trace.places);
  for (const simt::TraceStep& step : recorded.steps()) {
    TracedStep& named = trace.steps.emplace_back();
    named.kind = static_cast<TracedStep::Kind>(step.kind);
    named.thread = step.thread;
    named.interval = step.interval;
    if (step.region != nullptr) named.array = arrays.number(step.region, [&] { return array_of(*step.region); });
    named.offset = step.offset;
    named.bytes = step.bytes;
    named.bits = step.bits;
    const bool exchanges = step.kind == simt::TraceStep::Kind::exchange;
    const std::string calls = !exchanges ? "" : *step.function == '\0' ? "a shuffle" : step.function;
    const std::string element = exchanges ? exchanged(step) : "";
    named.place = places.number({step.pc, calls, element}, [&] {
      const CodePlace place = step.pc == 0 ? CodePlace{} : image.place_of(step.pc);
      return protocol::TracedPlace{place.file, place.function, place.line, calls, element};
    });
    named.slot = step.slot;
    named.part = step.part;
  }
  return trace;
}

void count_traffic(protocol::LaunchReply& answer, const simt::TrafficObservers& traffic, const protocol::LaunchRequest& request,
                   const Image& image) {
  const simt::RequestCounter& requests = traffic.requests();
  const simt::ThreadShare& share = traffic.share();
  std::uint64_t elements = 0;
  for (const protocol::Argument& argument : request.arguments) {
    if (argument.role == protocol::Role::output || argument.role == protocol::Role::inout)
      elements += argument.bytes / argument.element_bytes;
  }
  answer.traffic = nsight_metrics(requests.tallies(), answer.status == protocol::Status::completed && requests.complete(), image);
  answer.counters["local_load_bytes"] = traffic.locals().loaded_bytes();
  answer.counters["local_store_bytes"] = traffic.locals().stored_bytes();
  answer.counters["output_elements"] = elements;
  answer.counters["most_elements_of_a_thread"] = share.most_elements();
  answer.counters["most_words_of_a_thread"] = share.most_words();
  answer.counters["busiest_thread_words"] = share.most_words();  // a program's launches add up: see RunRecord::count
  answer.counters["busiest_block_stores"] = share.most_stores_of_a_block();
  answer.counters["words_of_all_threads"] = share.all_words();
  answer.counters["words_of_full_warps"] = share.full_warps_words();
  answer.counters["words_of_full_blocks"] = share.full_blocks_words();
  answer.counters["constant_replays"] = requests.constant_replays();
  std::tie(answer.counters["load_sectors"], answer.counters["least_load_sectors"]) = requests.sectors(AccessKind::read);
  std::tie(answer.counters["store_sectors"], answer.counters["least_store_sectors"]) = requests.sectors(AccessKind::write);
  answer.counters["reading_phases"] = requests.reading_phases();
  answer.counters["overlapped_phases"] = requests.overlapped_phases();
  answer.counters["copying_requests"] = requests.copying_requests();
  // What a GPU makes of them is not known, so Nsight Compute's names are not used. They pass the banks at least.
  for (const simt::RequestTally& tally : requests.tallies()) {
    if (tally.kind != simt::AccessKind::atomic || tally.space != simt::Space::shared) continue;
    answer.counters["shared_atomic_wavefronts"] += tally.wavefronts;
    answer.counters["shared_atomic_conflicts"] += tally.wavefronts - tally.least_wavefronts;
  }
}

}  // namespace tilelab
