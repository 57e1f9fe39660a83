// One launch: reads buffers, asks for the configuration, checks limits, runs the machine with its observers, writes buffers and
// findings.
#include "runner/launch.hpp"

#include <sys/mman.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <stdexcept>

#include "runner/finding_messages.hpp"
#include "runner/kernel_call.hpp"
#include "runner/launch_limits.hpp"
#include "runner/mapped_program.hpp"
#include "runner/named_trace.hpp"
#include "runner/nsight_metrics.hpp"
#include "simt/device_impl/device_printf.hpp"
#include "simt/heap_leaks.hpp"
#include "simt/machine.hpp"
#include "simt/observer_panel.hpp"
#include "simt/observers/child_order.hpp"
#include "simt/observers/handover.hpp"
#include "simt/observers/request_counter.hpp"
#include "simt/observers/stale_texels.hpp"
#include "simt/observers/thread_share.hpp"
#include "simt/observers/trace_recorder.hpp"
#include "simt/resident_blocks.hpp"
#include "simt/submission_data.hpp"

// The dynamic shared block. Through its address we find the thread-local segment that holds every shared array. The builder
// generates the assembly file that defines it.
extern "C" __thread char tilelab_dynamic_shared[];

namespace tilelab {
namespace {

using protocol::Extent;
using protocol::LaunchConfig;
using protocol::LaunchReply;
using protocol::LaunchRequest;
using protocol::Role;
using protocol::Status;

class Launch {
 public:
  Launch(const Image& image, const LaunchRequest& request, const std::vector<Descriptor>& files)
      : image_(image), request_(request), files_(files), barrier_places_(image.barrier_places()),
        panel_(request.allow_same_value_writes ? simt::RaceDetector::SameValue::allowed : simt::RaceDetector::SameValue::races) {
    panel_.get<simt::BarrierChecker>().know(barrier_places_, panel_.get<simt::RaceDetector>(), request.early_return_is_error);
  }

  enum class Store { outputs, nothing };

  LaunchReply run(Store store = Store::outputs) {
    map_memory();
    config_ = request_.config ? *request_.config : ask_launch_function();
    if (trouble_) return reply(trouble_->first, trouble_->second);
    if (const std::string why = launch_refusal(config_, image_.static_shared_bytes); !why.empty()) return reply(Status::launch_error, why);
    if (const std::string why = too_large_together(); !why.empty()) return reply(Status::launch_error, why);
    place_shared();
    const std::vector<char> before = simt::submission_variables();
    run_kernel();
    if (trouble_) return reply(trouble_->first, trouble_->second);
    left_data_ = simt::submission_variables() != before;
    if (store == Store::outputs) store_buffers();
    if (program_) program_->store();
    return reply(Status::completed, "");
  }

  LaunchReply reply(Status status, const std::string& detail) {
    LaunchReply answer;
    answer.status = status;
    answer.detail = detail;
    answer.config = config_;
    answer.findings = finding_messages(panel_.log().deduplicated(), image_, geometry());
    answer.counters = panel_.get<simt::AccessCounter>().counters();
    answer.counters["events"] = events_ != 0 || !simt::Machine::active() ? events_ : simt::Machine::current().events();
    answer.printed = simt::printed_text();
    if (trace_) answer.trace = named_trace(trace_->steps(), trace_->complete(), image_);
    if (locals_) answer.counters["local_load_bytes"] = locals_->loaded_bytes();
    if (locals_) answer.counters["local_store_bytes"] = locals_->stored_bytes();
    if (thread_share_) count_shares(answer);
    if (handover_) answer.counters.merge(handover_->counters());
    if (traffic_) answer.traffic = nsight_metrics(traffic_->tallies(), status == Status::completed && traffic_->complete(), image_);
    answer.needs_reversed_run = panel_.get<simt::RaceDetector>().needs_reversed_run();
    answer.left_data = left_data_;
    if (program_) answer.uses = program_->uses();
    return answer;
  }

  // Memory that blocks need while they wait is the executor's, and not the submission's fault.
  LaunchReply out_of_memory(const char* why) {
    const simt::Wait* waits = simt::Machine::active() ? simt::Machine::current().waiting_at() : nullptr;
    if (waits == nullptr) return reply(Status::crash, why);
    record(Verdict::needs_gpu, *waits, waits_for_a_block);
    return reply(Status::timeout, "A block waits for another block.");
  }

  // A signal arrived at instruction `pc`. `address` is the address of the access, if there was one.
  LaunchReply crashed(int signal, std::uintptr_t pc, std::uintptr_t address) {
    if (signal == SIGPROF) {
      record(Verdict::timeout, pc + 1, still_busy);
      return reply(Status::timeout, "The launch ran out of time.");
    }
    const bool overflow = stacks_ && stacks_->is_guard(address);
    const char* why = overflow ? "overflows its stack: a recursion that never ends, or local arrays too large for it"
                      : signal == SIGFPE
                          ? "divides the lowest integer by -1, whose result does not fit"  // division by zero is caught earlier
                          : "crashes";
    record(Verdict::crash, pc + 1, why);
    return reply(Status::crash, std::string("A thread ") + why + ".");
  }

 private:
  static constexpr auto still_busy = "was still running here when the launch reached its limit of steps: this loop may never end";
  static constexpr auto waits_for_a_thread =
      "keeps reading one value here and waits for it to change, but no thread that can still run changes it";
  static constexpr auto waits_for_a_block =
      "waits here until another block changes a value, and so do more blocks than the CPU executor can keep waiting. Such a launch can "
      "only be graded on a GPU";
  static constexpr auto no_room_for_its_block =
      "waits here until a block behind its own changes a value. So do all blocks before that one, and they are more than even the largest "
      "GPU holds at the same time: the block behind never starts";
  static constexpr auto waited_for_later =
      "waited here until a block behind its own had changed a value. CUDA promises that only to a cooperative launch "
      "(cudaLaunchCooperativeKernel): if the GPU has no room for all blocks at the same time, the launch hangs";

  static simt::Index3 index(const protocol::Extent& e) { return {e.x, e.y, e.z}; }

  LaunchGeometry geometry() const {
    LaunchGeometry all{config_.grid, config_.block, {}};
    const auto& children = simt::Machine::active() ? simt::Machine::current().child_grids().begun : children_;
    const auto extent = [](const simt::Index3& one) { return Extent{one.x, one.y, one.z}; };
    for (const simt::GridEvent& one : children)
      all.children.push_back({one.first_block, extent(one.grid), extent(one.block), one.launched.pc});
    return all;
  }

  // What kernels may launch.
  std::string refusal_of(const simt::ChildGrid::Configuration& asked) const {
    const auto extent = [](const simt::Index3& one) { return Extent{one.x, one.y, one.z}; };
    if (asked.shared_bytes > most_dynamic_bytes) return "A block asks for more than 49152 bytes of dynamic shared memory.";
    return launch_refusal({extent(asked.grid), extent(asked.block), static_cast<unsigned>(asked.shared_bytes)}, image_.static_shared_bytes);
  }

  // Why a cooperative launch cannot run its blocks together; empty: it can.
  std::string too_large_together() const {
    const std::uint64_t blocks = std::uint64_t{config_.grid.x} * config_.grid.y * config_.grid.z;
    const std::uint64_t most = simt::most_resident_blocks({.grid = index(config_.grid),
                                                           .block = index(config_.block),
                                                           .static_shared_bytes = image_.static_shared_bytes,
                                                           .dynamic_shared_bytes = config_.shared_bytes});
    if (!request_.cooperative || blocks <= most) return {};
    return "The grid has " + std::to_string(blocks) +
           " blocks. A cooperative launch needs all of them on the GPU at the same time, and of " +
           "blocks of this size even the largest GPU holds no more than " + std::to_string(most) + ".";
  }

  // `what`: see RawFinding.
  void record(Verdict kind, std::uintptr_t pc, const char* what) {
    const simt::ThreadRef by = simt::Machine::active() ? simt::Machine::current().running().ref : simt::ThreadRef{};
    record(kind, {pc, by}, what);
  }

  void record(Verdict kind, const simt::Wait& at, const char* what, bool note = false, int line = 0) {
    simt::RawFinding finding;
    finding.kind = kind;
    finding.note = note;
    finding.site.pc = at.pc;
    finding.site.by = at.by;
    finding.site.line = line;
    finding.what = what;
    panel_.log().report(finding);
  }

  void record_trap(const simt::Machine::Trap& trap) {
    simt::RawFinding finding;
    finding.kind = Verdict::crash;
    finding.site = {trap.pc, "", trap.by};
    finding.site.line = trap.line;
    finding.what = trap.why;
    if (trap.of_heap != nullptr) {
      finding.what = trap.of_heap;
      finding.region = &memory_.heap().region();
      finding.offset = static_cast<std::int64_t>(trap.address - finding.region->base);
      finding.other = {trap.freed_by, "", trap.freeing};
    }
    panel_.log().report(finding);
  }

  // Memory that the kernel allocated and did not free. It stays allocated until the program ends.
  void note_leaks() {
    for (const simt::Leak& leak : simt::leaks_of(memory_)) {
      simt::RawFinding finding;
      finding.kind = Verdict::crash;
      finding.note = true;
      finding.about = leak.is_lost ? simt::RawFinding::About::lost : simt::RawFinding::About::kept;
      finding.site = {leak.allocated_by, "", leak.by};
      finding.index = static_cast<std::int64_t>(leak.bytes);
      finding.bound = leak.threads;
      panel_.log().report(finding);
    }
  }

  void map_memory() {
    if (request_.memory) {
      program_.emplace(*request_.memory, files_, memory_).load(image_);
      simt::allow_printing(protocol::program_printed_bytes);
    }
    std::size_t file = 0;
    for (const protocol::Argument& argument : request_.arguments) {
      if (request_.memory && argument.role != Role::scalar && argument.role != Role::object)
        throw std::runtime_error("a program's buffers are no arguments");
      if (argument.role == Role::scalar || argument.role == Role::object) {
        arenas_.push_back(0);
        continue;
      }
      simt::Region region;
      region.name = argument.name;
      region.role = argument.role == Role::input    ? simt::BufferRole::input
                    : argument.role == Role::output ? simt::BufferRole::output
                                                    : simt::BufferRole::inout;
      region.bytes = argument.bytes;
      region.element = argument.element;
      region.element_bytes = argument.element_bytes;
      if (region.element_bytes == 0) throw std::runtime_error("buffer " + region.name + " has elements of no size");
      if (argument.row_elements != 0) {
        const std::size_t rows = argument.bytes / region.element_bytes / argument.row_elements;
        if (rows == 1)
          region.dimensions = {argument.row_elements};  // a list
        else
          region.dimensions = {rows, argument.row_elements};
      }
      if (argument.texture) shape_texels(region, *argument.texture);
      const simt::Region& placed = memory_.add_buffer(std::move(region));
      addresses_.push_back(argument.texture ? protocol::texture_handle(arenas_.size()) : placed.base);
      arenas_.push_back(placed.base);
      transfer(files_.at(file++), placed, false);
    }
    place_textures();
    place_pointers();
    map_module();
  }

  static void shape_texels(simt::Region& region, const protocol::TextureDescription& texture) {
    region.texels = true;
    region.dimensions.assign(texture.extents.begin(), texture.extents.end());
    if (texture.layers != 0) region.dimensions.insert(region.dimensions.begin(), texture.layers);
  }

  // What the handles among the arguments stand for.
  void place_textures() {
    const auto& arguments = request_.arguments;
    if (std::none_of(arguments.begin(), arguments.end(), [](const protocol::Argument& one) { return one.texture.has_value(); })) return;
    objects_.resize(arguments.size());
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      if (!arguments[i].texture) continue;
      const std::uintptr_t shown = arenas_.at(arguments[i].texture->of.value_or(i));
      objects_[i] = protocol::object_from(*arguments[i].texture);
      objects_[i].region = shown != 0 ? memory_.find_global(shown, 1) : nullptr;
      if (objects_[i].region == nullptr || objects_[i].texels() * objects_[i].format.texel_bytes() > objects_[i].region->bytes)
        throw std::runtime_error("the texture " + arguments[i].name + " is larger than its memory");
    }
  }

  // What the kernel is passed for a buffer, or for the texture that shows it.
  std::uintptr_t passed_for(std::size_t argument) const {
    return request_.arguments.at(argument).texture ? protocol::texture_handle(argument) : arenas_.at(argument);
  }

  // Writes the addresses of buffers into the buffers that hold pointers to them.
  void place_pointers() {
    for (std::size_t i = 0; i < request_.arguments.size(); ++i) {
      if (arenas_[i] == 0) continue;
      for (const protocol::PointerAt& one : request_.arguments[i].pointers) {
        const std::uintptr_t target = passed_for(one.argument);
        if (one.offset + sizeof target > request_.arguments[i].bytes) throw std::runtime_error("a pointer lies outside its buffer");
        std::memcpy(reinterpret_cast<char*>(arenas_[i]) + one.offset, &target, sizeof target);
      }
    }
  }

  // A buffer that is given back holds no addresses of ours: where the kernel left a pointer as it was, there are zeros.
  void take_back_pointers() {
    for (std::size_t i = 0; i < request_.arguments.size(); ++i) {
      if (arenas_[i] == 0) continue;
      for (const protocol::PointerAt& one : request_.arguments[i].pointers) {
        char* at = reinterpret_cast<char*>(arenas_[i]) + one.offset;
        const std::uintptr_t target = passed_for(one.argument);
        if (std::memcmp(at, &target, sizeof target) == 0) std::memset(at, 0, sizeof target);
      }
    }
  }

  // Adds variables by name, and then the bytes of their sections that are in no variable's room: constants without a name.
  void map_module() {
    for (const simt::DataSection& section : simt::submission_data()) {
      if (section.first == 0 || section.end <= section.first) continue;
      std::uintptr_t next = section.first;
      for (simt::Region variable : image_.variables) {
        if (variable.base < next || variable.base >= section.end || variable.bytes > section.end - variable.base) continue;
        if (variable.base > next) add_nameless(next, variable.base, section.constant);
        variable.room = std::clamp(variable.room, variable.bytes, section.end - variable.base);
        next = variable.base + variable.room;
        variable.constant = section.constant;
        if (section.constant) variable.role = simt::BufferRole::input;
        memory_.add_module(std::move(variable));
      }
      if (next < section.end) add_nameless(next, section.end, section.constant);
    }
  }

  void add_nameless(std::uintptr_t first, std::uintptr_t end, bool constant) {
    simt::Region bytes;
    bytes.name = "the submission's own data";
    if (constant) bytes.role = simt::BufferRole::input;
    bytes.base = first;
    bytes.bytes = end - first;
    bytes.element = "byte";
    bytes.element_bytes = 1;
    bytes.constant = constant;
    memory_.add_module(std::move(bytes));
  }

  static void transfer(const Descriptor& file, const simt::Region& region, bool out) {
    auto* bytes = reinterpret_cast<char*>(region.base);
    for (std::size_t at = 0; at < region.bytes;) {
      const ssize_t moved = out ? pwrite(file.get(), bytes + at, region.bytes - at, static_cast<off_t>(at))
                                : pread(file.get(), bytes + at, region.bytes - at, static_cast<off_t>(at));
      if (moved <= 0) throw std::runtime_error("buffer " + region.name + " cannot be transferred");
      at += static_cast<std::size_t>(moved);
    }
  }

  void store_buffers() {
    if (request_.memory) return;
    take_back_pointers();
    std::size_t file = 0;
    for (const simt::Region& region : memory_.buffers()) transfer(files_.at(file++), region, true);
  }

  // The launch function is the submission's code. So it runs like a kernel of one thread, where a bad access is caught.
  LaunchConfig ask_launch_function() {
    simt::Announcer announcer;
    announcer.add(panel_.get<simt::BoundsChecker>());  // alone: this is no kernel's code
    stacks_.emplace(1);
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
      note_end(machine);
    }
    if (!returned && !trouble_) trouble_ = {Status::crash, "The launch function did not return."};
    return answer;
  }

  void place_shared() {
    const auto segment = reinterpret_cast<std::uintptr_t>(tilelab_dynamic_shared) - image_.dynamic_offset;
    std::vector<simt::Region> arrays = image_.shared;
    std::size_t span = 0;
    std::erase_if(arrays, [&](simt::Region& array) {
      if (array.dynamic) array.bytes = config_.shared_bytes;
      const bool changes = array.dynamic && image_.launches_children;
      span = std::max(span, array.base + (changes ? most_dynamic_bytes : array.bytes));
      array.base += segment;
      return array.bytes == 0 &&
             !array.dynamic;  // an empty dynamic array stays: if shared_bytes was forgotten, the finding names this array
    });
    if (image_.shared.empty()) return;
    memory_.set_shared(segment, span + shared_slack_bytes, std::move(arrays));
    for (const simt::AddressRange& guard : image_.guards) memory_.add_guard(segment + guard.first, segment + guard.end);
  }

  void run_kernel() {
    simt::Announcer announcer;
    panel_.join(announcer);
    if (request_.trace) trace_block(request_.trace->block);
    if (trace_) announcer.add(*trace_);
    if (request_.traffic) {
      announcer.add(traffic_.emplace(image_.loop_map()));
      announcer.add(thread_share_.emplace(locals_.emplace()));
    }
    if (request_.follows_values) announcer.add(handover_.emplace());
    if (!objects_.empty()) announcer.add(stale_texels_.emplace(panel_.log(), objects_));
    const KernelCall kernel(image_.kernel, request_.arguments, addresses_, image_.argument_bytes);
    if (image_.launches_children) announcer.add(child_order_.emplace(panel_.log()));
    stacks_.emplace(image_.launches_children ? most_threads : std::size_t{config_.block.x} * config_.block.y * config_.block.z);
    simt::Machine machine(memory_, announcer, *stacks_, request_.event_budget, image_.header_code,
                          [this](auto one, auto other) { return image_.on_one_line(one, other); });
    machine.may_call(image_.targets);
    machine.may_use(objects_);
    machine.guard_locals(image_.frame_guards);
    if (image_.launches_children) machine.may_launch([this](const auto& asked) { return refusal_of(asked); });
    if (locals_) machine.watch_locals(*locals_);
    simt::SealedTables tables;
    tables.add(&kernel, sizeof kernel);
    tables.add(&request_, sizeof request_);
    tables.add(objects_);
    image_.seal_in(tables);
    memory_.seal_in(tables);
    announcer.seal_in(tables);
    tables.seal();
    machine.run(
        {.grid = index(config_.grid),
         .block = index(config_.block),
         .static_shared_bytes = image_.static_shared_bytes,
         .dynamic_shared_bytes = config_.shared_bytes,
         .shared_span = memory_.shared_span(),
         .shared_poison = request_.shared_poison,
         .cooperative = request_.cooperative},
        [&kernel] { kernel(); }, request_.order_seed, request_.reversed);
    events_ = machine.events();
    children_ = machine.child_grids().begun;
    note_end(machine);
    if (!trouble_) note_leaks();
    if (!tables.intact()) {  // not what the observers say counts then
      record(Verdict::crash, image_.kernel + 1, "overwrites memory of the executor");
      trouble_ = {Status::crash, "A thread overwrites memory of the executor."};
    }
  }

  void count_shares(LaunchReply& answer) const {
    std::uint64_t elements = 0;
    for (const protocol::Argument& argument : request_.arguments) {
      if (argument.role == protocol::Role::output || argument.role == protocol::Role::inout)
        elements += argument.bytes / argument.element_bytes;
    }
    answer.counters["output_elements"] = elements;
    answer.counters["most_elements_of_a_thread"] = thread_share_->most_elements();
    answer.counters["most_words_of_a_thread"] = thread_share_->most_words();
    answer.counters["words_of_all_threads"] = thread_share_->all_words();
    // What a GPU makes of them is not known, so Nsight Compute's names are not used. They pass the banks at least.
    for (const simt::RequestTally& tally : traffic_->tallies()) {
      if (tally.kind != simt::AccessKind::atomic || tally.space != simt::Space::shared) continue;
      answer.counters["shared_atomic_wavefronts"] += tally.wavefronts;
      answer.counters["shared_atomic_conflicts"] += tally.wavefronts - tally.least_wavefronts;
    }
  }

  void trace_block(const std::array<unsigned, 3>& block) {
    const protocol::Extent& grid = config_.grid;
    if (block[0] >= grid.x || block[1] >= grid.y || block[2] >= grid.z) return;
    trace_.emplace(block[0] + std::uint64_t{grid.x} * (block[1] + std::uint64_t{grid.y} * block[2]), protocol::most_trace_steps);
  }

  void note_end(const simt::Machine& machine) {
    if (const auto& timeout = machine.timeout()) {
      if (timeout->waiting_for_another_block) {
        record(Verdict::needs_gpu, {timeout->pc, timeout->by}, waits_for_a_block);
        trouble_ = {Status::timeout, "A block waits for another block."};
        return;
      }
      if (timeout->too_many_wait) {
        record(Verdict::timeout, {timeout->pc, timeout->by}, no_room_for_its_block);
        trouble_ = {Status::timeout, "Blocks wait for blocks that have no room on a GPU."};
        return;
      }
      record(Verdict::timeout, {timeout->pc, timeout->by}, timeout->waiting_for_another_thread ? waits_for_a_thread : still_busy);
      trouble_ = {Status::timeout, "The launch reached its limit of steps."};
    } else if (machine.waited_for_later_block().pc != 0) {
      record(Verdict::timeout, machine.waited_for_later_block(), waited_for_later, true);
    } else if (const auto& trap = machine.trapped()) {
      if (trap->needs_gpu) {
        record(Verdict::needs_gpu, trap->pc, trap->why);
        trouble_ = {Status::timeout, "The launch does what only a GPU can do."};
        return;
      }
      record_trap(*trap);
      trouble_ = {Status::crash, std::string("A thread ") + trap->why + "."};
    }
  }

  static constexpr std::size_t most_dynamic_bytes = 48 * 1024, most_threads = 1024;  // of any grid
  static constexpr std::size_t shared_slack_bytes = 4096;  // less than the padding that the builder places behind the block

  const Image& image_;
  const LaunchRequest& request_;
  const std::vector<Descriptor>& files_;
  LaunchConfig config_;
  simt::MemoryMap memory_;
  simt::BarrierPlaces barrier_places_;
  simt::ObserverPanel panel_;
  std::optional<simt::TraceRecorder> trace_;
  std::optional<simt::RequestCounter> traffic_;
  std::optional<simt::LocalMemory> locals_;
  std::optional<simt::ThreadShare> thread_share_;
  std::optional<simt::Handover> handover_;
  std::optional<simt::StaleTexels> stale_texels_;
  std::optional<simt::ChildOrder> child_order_;
  std::vector<simt::GridEvent> children_;
  std::optional<MappedProgram> program_;
  std::optional<simt::FiberStacks> stacks_;
  std::vector<std::uintptr_t> addresses_;     // of buffers, or the handles of textures that show them
  std::vector<std::uintptr_t> arenas_;        // for each argument: its buffer's address, or 0
  std::vector<simt::TextureObject> objects_;  // for each argument, if one of them is a texture or a surface
  std::optional<std::pair<Status, std::string>> trouble_;
  std::uint64_t events_ = 0;
  bool left_data_ = false;
};

Launch* running_launch = nullptr;
const std::function<void(const LaunchReply&)>* deliver_reply = nullptr;

std::uintptr_t interrupted_pc(const void* context) {
  const auto* machine = &static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__aarch64__)
  return machine->pc;
#else
  return static_cast<std::uintptr_t>(machine->gregs[REG_RIP]);
#endif
}

// Not async-signal-safe in general. That is safe here: it interrupts only the submission's code or a callback, and never returns
// to it.
void on_signal(int signal, siginfo_t* info, void* context) {
  for (const int other : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGPROF}) std::signal(other, SIG_DFL);
  const auto address = signal == SIGPROF ? 0 : reinterpret_cast<std::uintptr_t>(info->si_addr);
  (*deliver_reply)(running_launch->crashed(signal, interrupted_pc(context), address));
  _exit(3);
}

constexpr auto no_memory = "The launch needs more memory than a submission may use.";
constexpr std::size_t reserved_bytes = 16u << 20;  // for the answer of a launch that has used up all other memory
void* reserved = nullptr;

// What an access makes the executor remember costs memory, and here there is no way back through the submission's frames.
void on_no_memory() {
  std::set_new_handler(nullptr);
  std::free(reserved);
  (*deliver_reply)(running_launch->out_of_memory(no_memory));
  _exit(3);
}

void install_handlers(unsigned clock_ms) {
  reserved = std::malloc(reserved_bytes);
  std::set_new_handler(on_no_memory);
  constexpr std::size_t bytes = 1u << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = bytes;
  if (sigaltstack(&stack, nullptr) != 0) throw std::runtime_error("no alternate signal stack");
  struct sigaction action{};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGPROF}) {
    if (sigaction(signal, &action, nullptr) != 0) throw std::runtime_error("no signal handler");
  }
  itimerval timer{};
  timer.it_value.tv_sec = clock_ms / 1000;
  timer.it_value.tv_usec = static_cast<suseconds_t>(clock_ms % 1000) * 1000;
  if (setitimer(ITIMER_PROF, &timer, nullptr) != 0) throw std::runtime_error("no timer");
}

}  // namespace

void run_launch(const Image& image, const LaunchRequest& request, const std::vector<Descriptor>& buffers,
                const std::function<void(const LaunchReply&)>& deliver) {
  deliver_reply = &deliver;
  std::optional<Launch> launch;
  const auto begin = [&] { running_launch = &launch.emplace(image, request, buffers); };
  begin();
  try {
    install_handlers(request.clock_ms);
    if (request.second) {  // the first launch was judged before; here it only leaves its values in variables
      launch->run(Launch::Store::nothing);
      begin();
    }
    deliver(launch->run());
  } catch (const std::bad_alloc&) {
    deliver(launch->reply(Status::crash, no_memory));
  } catch (const std::exception& error) {
    deliver(launch->reply(Status::internal_error, error.what()));
  }
  _exit(3);
}

}  // namespace tilelab
