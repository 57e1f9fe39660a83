#include "runner/report/launch_traffic.hpp"

#include "runner/report/nsight_metrics.hpp"

namespace tilelab {

void count_traffic(protocol::LaunchReply& answer, const simt::TrafficPanel& traffic, const protocol::LaunchRequest& request,
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
  answer.counters["words_of_all_threads"] = share.all_words();
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
