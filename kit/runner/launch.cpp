// One launch: reads buffers, asks for the configuration, checks limits, runs the machine with its observers, writes buffers and
// findings.

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>
#include <new>
#include <optional>

#include "executor/device_impl/device_printf.hpp"
#include "executor/finding_log.hpp"
#include "executor/machine/machine.hpp"
#include "executor/memory/device_heap.hpp"
#include "executor/memory/memory_map.hpp"
#include "executor/observer_list.hpp"
#include "executor/observers/child_order.hpp"
#include "executor/observers/overlapping_arrays.hpp"
#include "executor/observers/stale_texels.hpp"
#include "executor/observers/touched_bytes.hpp"
#include "executor/observers/trace_recorder.hpp"
#include "executor/observers/work_counters.hpp"
#include "executor/submission/submission_data.hpp"
#include "runner/kernel_call.hpp"
#include "runner/launch.hpp"
#include "runner/launch_signals.hpp"
#include "runner/report/launch_report.hpp"
#include "runner/submission/launch_memory.hpp"

namespace tilelab {
namespace {

using protocol::LaunchConfig;
using protocol::LaunchReply;
using protocol::LaunchRequest;
using protocol::Status;

// First of a kernel with a loop.
constexpr std::array reached_steps = {"was still running here when the launch reached its limit of steps: this loop may never end",
                                      "was still running here when the launch reached its limit of steps. The kernel has no loop: all its "
                                      "threads together are too much work"};
constexpr std::array reached_time = {
    "was still running here when the launch had used its processor time: this loop never ends, or it is more work than fits into that time",
    "was still running here when the launch had used its processor time. The kernel has no loop: all its threads together are too much "
    "work"};
constexpr auto waits_for_a_thread = "keeps reading one value here and waits for it to change, but no thread that can still run changes it";
constexpr auto waits_for_a_block =
    "waits here until another block changes a value, and so do more blocks than the CPU executor can keep waiting. Such a launch can "
    "only be graded on a GPU";
constexpr auto no_room_for_its_block =
    "waits here until a block behind its own changes a value. So do all blocks before that one, and they are more than even the largest "
    "GPU holds at the same time: the block behind never starts";
constexpr auto waited_for_later =
    "waited here until a block behind its own had changed a value. CUDA guarantees that only to a cooperative launch "
    "(cudaLaunchCooperativeKernel): if the GPU has no room for all blocks at the same time, the launch hangs";

// How a launch ended: what stopped it, in the words of findings.
class LaunchEnding {
 public:
  // Findings go to `log`. Both stay where they are.
  LaunchEnding(simt::FindingLog& log, const simt::MemoryMap& memory, bool has_loops)
      : log_(log), memory_(memory), words_(has_loops ? 0 : 1) {}

  // The machine has run: what stopped it, if anything did.
  void note(const simt::Machine& machine) {
    if (const auto& timeout = machine.timeout()) {
      if (timeout->waiting_for_another_block) {
        record(Verdict::needs_gpu, {timeout->pc, timeout->by}, waits_for_a_block);
        return stop(Status::timeout, "A block waits for another block.");
      }
      if (timeout->too_many_wait) {
        record(Verdict::timeout, {timeout->pc, timeout->by}, no_room_for_its_block);
        return stop(Status::timeout, "Blocks wait for blocks that have no room on a GPU.");
      }
      record(Verdict::timeout, {timeout->pc, timeout->by},
             timeout->waiting_for_another_thread ? waits_for_a_thread : reached_steps[words_]);
      stop(Status::timeout, "The launch reached its limit of steps.");
    } else if (machine.waited_for_later_block().pc != 0) {
      record(Verdict::timeout, machine.waited_for_later_block(), waited_for_later, true);
    } else if (const auto& trap = machine.trapped()) {
      if (trap->needs_gpu) {
        record(Verdict::needs_gpu, trap->pc, trap->why);
        return stop(Status::timeout, "The launch does what only a GPU can do.");
      }
      record_trap(*trap);
      stop(Status::crash, std::string("A thread ") + trap->why + ".");
    }
  }

  // Memory that the kernel allocated and did not free. It stays allocated until the program ends.
  void note_leaks() {
    for (const simt::Leak& leak : simt::leaks_of(memory_)) {
      if (!leak.is_lost && memory_.heap().lives_on()) continue;  // a later launch of the program may free it
      simt::RawFinding finding = simt::finding_at(Verdict::crash, {leak.allocated_by, "", leak.by});
      finding.note = true;
      finding.about = leak.is_lost ? simt::RawFinding::About::lost : simt::RawFinding::About::kept;
      finding.index = static_cast<std::int64_t>(leak.bytes);
      finding.bound = leak.threads;
      log_.report(finding);
    }
  }

  void stop(protocol::Status status, std::string detail) { trouble_ = {status, std::move(detail)}; }
  // A thread of the kernel did something that no machine survives. `what`: see RawFinding.
  void record(Verdict kind, std::uintptr_t pc, const char* what) {
    const simt::ThreadRef by = simt::Machine::active() ? simt::Machine::current().running().ref : simt::ThreadRef{};
    record(kind, {pc, by}, what);
  }

  // Ended by a signal. `overflow`: a thread's stack was too small. Returns the reply's status and detail.
  std::pair<Status, std::string> by_signal(int signal, std::uintptr_t pc, bool overflow) {
    if (signal == SIGPROF || signal == SIGXCPU) {
      record(Verdict::timeout, pc + 1, reached_time[words_]);
      return {Status::timeout, "The launch ran out of time."};
    }
    const char* why = overflow ? "overflows its stack: a recursion that never ends, or local arrays too large for it"
                      : signal == SIGFPE
                          ? "divides the lowest integer by -1, whose result does not fit"  // division by zero is caught earlier
                          : "crashes";
    record(Verdict::crash, pc + 1, why);
    return {Status::crash, std::string("A thread ") + why + "."};
  }

  // Memory has run out. Whether blocks need it while they wait: then that is told.
  bool by_memory() {
    const simt::Wait* waits = simt::Machine::active() ? simt::Machine::current().waiting_at() : nullptr;
    if (waits == nullptr) return false;
    record(Verdict::needs_gpu, *waits, waits_for_a_block);
    stop(Status::timeout, "A block waits for another block.");
    return true;
  }

  const std::optional<std::pair<protocol::Status, std::string>>& trouble() const { return trouble_; }

 private:
  void record(Verdict kind, const simt::Wait& at, const char* what, bool note = false) {
    simt::RawFinding finding = simt::finding_at(kind, {at.pc, "", at.by});
    finding.note = note;
    finding.what = what;
    log_.report(finding);
  }

  void record_trap(const simt::Machine::Trap& trap) {
    simt::RawFinding finding = simt::finding_at(Verdict::crash, {trap.pc, "", trap.by, trap.line});
    finding.what = trap.why;
    if (trap.of_heap != nullptr) {
      finding.what = trap.of_heap;
      finding.region = &memory_.heap().region();
      finding.offset = static_cast<std::int64_t>(trap.address - finding.region->base);
      finding.other = {trap.freed_by, "", trap.freeing};
    }
    log_.report(finding);
  }

  simt::FindingLog& log_;
  const simt::MemoryMap& memory_;
  std::size_t words_;  // which of several
  std::optional<std::pair<protocol::Status, std::string>> trouble_;
};

// They stay for the next launch in this process: their pages are there then, which is most of what a small launch costs.
simt::FiberStacks& stacks_for(std::size_t threads) {
  static std::unique_ptr<simt::FiberStacks> kept;
  if (kept && kept->count() >= threads) {
    kept->take_back_all();
  } else {
    kept.reset();  // first: both together may be more memory than there is
    kept = std::make_unique<simt::FiberStacks>(threads);
  }
  return *kept;
}

// Whether so little was used that the next launch finds here about as much memory and time as in a new process.
bool is_small() {
  constexpr std::size_t most_bytes = 64u << 20;
  constexpr std::clock_t most_time = 2 * CLOCKS_PER_SEC;
  const struct mallinfo2 heap = mallinfo2();
  return heap.arena + heap.hblkhd <= most_bytes && std::clock() <= most_time;
}

constexpr int unanswered = 5;  // an exit status; the channel tells enough

simt::SameValue same_value(const LaunchRequest& request) {
  if (request.allow_same_value_writes) return simt::SameValue::allowed;
  return request.tell_same_value_writes ? simt::SameValue::told : simt::SameValue::races;
}

class Launch {
 public:
  Launch(const Image& image, const LaunchRequest& request, const std::vector<Descriptor>& files)
      : image_(image), request_(request), files_(files), barrier_places_(image.barrier_places()), observers_(same_value(request)),
        ending_(observers_.log(), memory_, !image.loops.empty()) {
    observers_.get<simt::BarrierChecker>().know(barrier_places_, observers_.get<simt::RaceDetector>(), request.early_return_is_error);
  }

  enum class Store { outputs, nothing };
  // Whether it was one whose memory is the process's own and gone with it, variables and stacks aside.
  bool leaves_nothing() const {
    return !request_.memory && !request_.second && !request_.trace && !image_.launches_children && image_.guards.empty();
  }

  LaunchReply run(Store store = Store::outputs) {
    map_memory();
    config_ = request_.config ? *request_.config : ask_launch_function();
    if (ending_.trouble()) return reply(ending_.trouble()->first, ending_.trouble()->second);
    // A program may have asked for more shared memory; the broker knows whether it has.
    const std::size_t shared_limit = request_.memory ? most_shared_bytes_if_asked : most_shared_bytes;
    if (const std::string why = launch_refusal(config_, image_.static_shared_bytes, shared_limit); !why.empty())
      return reply(Status::launch_error, why);
    const std::string too_large = request_.cooperative ? cooperative_refusal(config_, image_.static_shared_bytes) : "";
    if (!too_large.empty()) return reply(Status::launch_error, too_large);
    place_shared(image_, config_.shared_bytes, memory_);
    const std::vector<char> before = simt::submission_variables();
    run_kernel();
    if (ending_.trouble()) return reply(ending_.trouble()->first, ending_.trouble()->second);
    left_data_ = simt::submission_variables() != before;
    if (store == Store::outputs) buffers_->store();
    if (program_) program_->store();
    return reply(Status::completed, "");
  }

  LaunchReply reply(Status status, const std::string& detail) {
    LaunchReply answer;
    answer.status = status;
    answer.detail = detail;
    answer.config = config_;
    answer.findings = finding_messages(observers_.log().deduplicated(), image_, geometry());
    answer.counters = observers_.get<simt::AccessCounter>().counters();
    answer.counters["events"] = events_ != 0 || !simt::Machine::active() ? events_ : simt::Machine::current().events();
    answer.printed = simt::printed_text();
    if (trace_ && !is_starved_) answer.trace = named_trace(*trace_, image_);
    if (traffic_ && !is_starved_) count_traffic(answer, *traffic_, request_, image_);
    if (handover_) answer.counters.merge(handover_->counters());
    if (shared_use_) answer.counters.merge(shared_use_->counters());
    answer.needs_reversed_run = observers_.get<simt::RaceDetector>().needs_reversed_run();
    answer.left_data = left_data_;
    if (program_) answer.uses = program_->uses();
    return answer;
  }

  // There is little memory left for the answer.
  LaunchReply out_of_memory() {
    is_starved_ = true;
    if (ending_.by_memory()) return reply(ending_.trouble()->first, ending_.trouble()->second);
    const LaunchReply why = no_memory_reply();
    LaunchReply answer = reply(why.status, why.detail);
    answer.findings.insert(answer.findings.begin(), why.findings.begin(), why.findings.end());
    return answer;
  }

  // A signal arrived at instruction `pc`. `address` is the address of the access, if there was one.
  LaunchReply crashed(int signal, std::uintptr_t pc, std::uintptr_t address) {
    const auto [status, detail] = ending_.by_signal(signal, pc, stacks_ != nullptr && stacks_->is_guard(address));
    return reply(status, detail);
  }

 private:
  LaunchGeometry geometry() const {
    return {config_.grid, config_.block, simt::Machine::active() ? simt::Machine::current().child_grids().begun : children_, &memory_};
  }

  // What kernels may launch.
  std::string refusal_of(const simt::ChildGrid::Configuration& asked) const {
    if (asked.shared_bytes > most_dynamic_bytes) return "A block asks for more than 49152 bytes of dynamic shared memory.";
    return launch_refusal({asked.grid, asked.block, static_cast<unsigned>(asked.shared_bytes)}, image_.static_shared_bytes);
  }

  void map_memory() {
    if (request_.memory) {
      program_.emplace(*request_.memory, files_, memory_).load(image_);
      simt::allow_printing(protocol::program_printed_bytes);
    }
    buffers_.emplace(request_, files_, memory_);
    add_module(image_, memory_, program_ ? program_->followed_variables() : std::map<std::uintptr_t, simt::ByteMarks*>());
  }

  // The launch function is the submission's code. So it runs like a kernel of one thread, where a bad access is caught.
  LaunchConfig ask_launch_function() {
    simt::Announcer announcer;
    announcer.add(observers_.get<simt::BoundsChecker>());  // alone: this is no kernel's code
    stacks_ = &stacks_for(1);
    observers_.log().set_on_host(true);
    LaunchConfig answer;
    bool returned = false;
    {
      simt::Machine machine(memory_, announcer, *stacks_, 10'000'000, image_.header_code);
      machine.may_call(image_.targets);
      machine.guard_locals(image_.frame_guards);
      machine.run({.grid = {1, 1, 1}, .block = {1, 1, 1}},
                  [&] {
                    answer = call_launch(image_.launch, request_.launch_arguments);
                    returned = true;
                  },
                  {});
      ending_.note(machine);
    }
    if (!returned && !ending_.trouble()) ending_.stop(Status::crash, "The launch function did not return.");
    observers_.log().set_on_host(false);
    return answer;
  }

  const simt::Region* dynamic_array_at(std::uintptr_t pc, bool writes) const {
    const std::string name = image_.array_at(pc, writes);
    for (const simt::Region& one : memory_.shared_arrays())
      if (one.dynamic && one.name == name) return &one;
    return nullptr;
  }

  void run_kernel() {
    simt::Announcer announcer;
    observers_.join(announcer);
    if (request_.trace) trace_blocks(*request_.trace);
    if (trace_) announcer.add(*trace_);
    if (request_.traffic) {
      traffic_.emplace(image_.loop_map()).join(announcer);
    }
    if (request_.follows_values) announcer.add(handover_.emplace());
    if (request_.follows_shared) announcer.add(shared_use_.emplace());
    if (request_.memory && request_.memory->follows_touches) {
      announcer.add(touched_.emplace([this](std::uintptr_t pc) {
        const CodeLine* const line = image_.line_at(pc);
        return line != nullptr ? line->line : 0;
      }));
    }
    const auto& objects = program_ ? program_->objects() : buffers_->objects();
    if (!objects.empty()) announcer.add(stale_texels_.emplace(observers_.log(), objects));
    const KernelCall kernel(image_.kernel, request_.arguments, buffers_->addresses(), image_.argument_bytes);
    if (simt::OverlappingArrays::may_find(memory_.shared_arrays()))
      announcer.add(overlapping_arrays_.emplace(
          observers_.log(), [this](std::uintptr_t pc, bool writes) { return dynamic_array_at(pc, writes); }, !request_.memory));
    if (image_.launches_children) announcer.add(child_order_.emplace(observers_.log()));
    stacks_ = &stacks_for(image_.launches_children ? most_threads : std::size_t{config_.block.x} * config_.block.y * config_.block.z);
    simt::Machine machine(memory_, announcer, *stacks_, request_.event_budget, image_.header_code,
                          [this](auto one, auto other) { return image_.on_one_line(one, other); });
    machine.may_call(image_.targets);
    machine.may_use(objects);
    machine.guard_locals(image_.frame_guards);
    if (trace_ && request_.trace->held)
      machine.hold({.by = {*number_of(request_.trace->block), request_.trace->held->thread}, .write = request_.trace->held->write});
    if (image_.launches_children) machine.may_launch([this](const auto& asked) { return refusal_of(asked); });
    if (traffic_) machine.watch_locals(traffic_->locals());
    simt::SealedTables tables;
    tables.add(&kernel, sizeof kernel);
    tables.add(&request_, sizeof request_);
    tables.add(objects);
    image_.seal_in(tables);
    memory_.seal_in(tables);
    announcer.seal_in(tables);
    tables.seal();
    machine.run(
        {.grid = config_.grid,
         .block = config_.block,
         .static_shared_bytes = image_.static_shared_bytes,
         .dynamic_shared_bytes = config_.shared_bytes,
         .shared_span = memory_.shared_span(),
         .shared_poison = request_.shared_poison,
         .cooperative = request_.cooperative},
        [&kernel] { kernel(); }, request_.order_seed, request_.reversed);
    events_ = machine.events();
    children_ = machine.child_grids().begun;
    ending_.note(machine);
    if (const auto& timeout = machine.timeout(); timeout && trace_) trace_->stopped_in(timeout->by.block);
    if (!ending_.trouble()) ending_.note_leaks();
    if (!tables.intact()) {  // not what the observers say counts then
      ending_.record(Verdict::crash, image_.kernel + 1, "overwrites memory of the executor");
      ending_.stop(Status::crash, "A thread overwrites memory of the executor.");
    }
  }

  std::optional<std::uint64_t> number_of(const simt::Index3& block) const {
    const simt::Index3& grid = config_.grid;
    if (block.x >= grid.x || block.y >= grid.y || block.z >= grid.z) return std::nullopt;
    return block.x + std::uint64_t{grid.x} * (block.y + std::uint64_t{grid.y} * block.z);
  }

  void trace_blocks(const protocol::TraceRequest& request) {
    const auto followed = number_of(request.block), beside = request.beside ? number_of(*request.beside) : std::nullopt;
    if (followed && bool{beside} == bool{request.beside})
      trace_.emplace(*followed, protocol::most_trace_steps, image_.loop_map(), beside, protocol::most_steps_of_a_thread);
  }

  static constexpr std::size_t most_dynamic_bytes = most_shared_bytes, most_threads = 1024;  // of a child's grid

  const Image& image_;
  const LaunchRequest& request_;
  const std::vector<Descriptor>& files_;
  LaunchConfig config_;
  simt::MemoryMap memory_;
  simt::BarrierPlaces barrier_places_;
  simt::ObserverList observers_;
  LaunchEnding ending_;
  std::optional<simt::TraceRecorder> trace_;
  std::optional<simt::TrafficObservers> traffic_;
  std::optional<simt::Handover> handover_;
  std::optional<simt::SharedUse> shared_use_;
  std::optional<simt::TouchedBytes> touched_;
  std::optional<simt::StaleTexels> stale_texels_;
  std::optional<simt::OverlappingArrays> overlapping_arrays_;
  std::optional<simt::ChildOrder> child_order_;
  std::vector<simt::GridEvent> children_;
  std::optional<MappedProgram> program_;
  simt::FiberStacks* stacks_ = nullptr;
  std::optional<ArgumentBuffers> buffers_;
  std::uint64_t events_ = 0;
  bool left_data_ = false, is_starved_ = false;
};

}  // namespace

void run_launch(const Image& image, const LaunchRequest& request, const std::vector<Descriptor>& buffers, bool is_first,
                const std::function<void(const LaunchEnd&)>& deliver) {
  static const std::vector<char> untouched = simt::submission_variables();
  const auto begun_over = [is_first] {
    if (!is_first) _exit(unanswered);
  };
  if (!is_first) simt::restore_submission_variables(untouched);
  std::optional<Launch> launch(std::in_place, image, request, buffers);
  LaunchClock clock(request.event_budget, request.clock_ms);
  const LaunchEmergency emergency{
      .crashed =
          [&](int signal, std::uintptr_t pc, std::uintptr_t address) {
            if (signal != SIGPROF && signal != SIGXCPU) begun_over();
            deliver({launch->crashed(signal, pc, address)});
          },
      .out_of_memory =
          [&] {
            begun_over();
            deliver({launch->out_of_memory()});
          },
      .may_go_on =
          [&, began = std::chrono::steady_clock::now()] {
            const auto elapsed = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - began).count();
            return clock.another_period(simt::Machine::active() ? simt::Machine::current().events() : 0,
                                        static_cast<std::uint64_t>(elapsed));
          }};
  LaunchEnd end;
  try {
    no_memory_words();
    const LaunchSignals signals(emergency, request.clock_ms);
    if (request.second) {  // the first launch was judged before; here it only leaves its values in variables
      launch->run(Launch::Store::nothing);
      launch.emplace(image, request, buffers);
    }
    end.reply = launch->run();
    const bool is_clean = end.reply.status == Status::completed && end.reply.findings.empty() && end.reply.printed.empty();
    if (!is_clean && end.reply.status != Status::timeout) begun_over();
    end.goes_on = is_clean && launch->leaves_nothing() && is_small();
  } catch (const std::bad_alloc&) {
    begun_over();
    end.reply = launch->out_of_memory();
  } catch (const std::exception& error) {
    begun_over();
    end.reply = launch->reply(Status::internal_error, error.what());
  }
  deliver(end);
}

}  // namespace tilelab
