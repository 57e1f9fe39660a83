// Which work is ordered before which, by CUDA's rules: streams, events, and what the host has waited for. Work is executed as soon as
// it is submitted; this only remembers what a GPU would have been free to do.
//
// Each stream has a vector clock. Work of the legacy default stream comes after all work of other streams before it, and before all
// later work; streams that do not block are exempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tilelab::program {

// One piece of work: the `number`-th of its stream.
struct Stamp {
  std::size_t stream = 0;
  std::uint64_t number = 0;
};

class StreamOrder {
 public:
  static constexpr std::uint64_t first_own = 3;  // 0 and 1 are the legacy default stream, 2 the default stream of a thread
  static constexpr std::size_t most_streams = 1024, most_events = 1u << 16;

  StreamOrder();
  std::optional<std::uint64_t> create_stream(bool blocking);  // nothing: there are too many
  std::optional<std::uint64_t> create_event();
  bool knows_stream(std::uint64_t stream) const { return streams_.contains(stream); }
  bool knows_event(std::uint64_t event) const { return events_.contains(event); }
  bool destroy_stream(std::uint64_t stream);  // false: there is no such stream of the program's own
  bool destroy_event(std::uint64_t event) { return events_.erase(event) != 0; }

  // Whether work of this stream may run at the same time as other work, of kernels too. The legacy default stream waits for others.
  bool may_overlap(std::uint64_t stream);

  // The rest expects streams and events that are known.
  Stamp submit(std::uint64_t stream);
  void record(std::uint64_t event, std::uint64_t stream);
  void wait(std::uint64_t stream, std::uint64_t event);  // later work of the stream comes after the event
  void host_waits_for_stream(std::uint64_t stream);
  void host_waits_for_event(std::uint64_t event);
  void host_waits_for_all();
  bool host_has_seen(std::uint64_t event) const;  // all work before the event is known to be done

  bool is_before(const Stamp& work, const Stamp& later) const;  // `later` is the last work of its stream
  bool is_done(const Stamp& work) const { return reached(host_, work); }

 private:
  using Clock = std::vector<std::uint64_t>;  // for each stream, how many pieces of its work
  struct Stream {
    std::size_t slot;
    bool blocking = true;
    Clock clock;
  };
  static void join(Clock& clock, const Clock& other);
  static bool reached(const Clock& clock, const Stamp& work) { return work.stream < clock.size() && clock[work.stream] >= work.number; }
  Stream& stream(std::uint64_t number) { return streams_.at(number == 1 ? 0 : number); }
  void catch_up(Stream& one);

  std::map<std::uint64_t, Stream> streams_;
  std::map<std::uint64_t, Clock> events_;
  std::vector<Clock> gone_;  // of streams that were destroyed; their work goes on
  Clock host_;
  std::size_t slots_ = 0, blocking_ = 0, nonblocking_ = 0;  // streams besides the legacy default stream that are or were
  bool uses_threads_stream_ = false;
  std::uint64_t next_stream_ = first_own, next_event_ = 1;
};

}  // namespace tilelab::program
