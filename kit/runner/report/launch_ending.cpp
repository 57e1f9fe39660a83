#include "runner/report/launch_ending.hpp"

#include <csignal>

#include "simt/memory/heap_leaks.hpp"

namespace tilelab {
namespace {

using protocol::Status;

constexpr auto still_busy = "was still running here when the launch reached its limit of steps: this loop may never end";
constexpr auto waits_for_a_thread = "keeps reading one value here and waits for it to change, but no thread that can still run changes it";
constexpr auto waits_for_a_block =
    "waits here until another block changes a value, and so do more blocks than the CPU executor can keep waiting. Such a launch can "
    "only be graded on a GPU";
constexpr auto no_room_for_its_block =
    "waits here until a block behind its own changes a value. So do all blocks before that one, and they are more than even the largest "
    "GPU holds at the same time: the block behind never starts";
constexpr auto waited_for_later =
    "waited here until a block behind its own had changed a value. CUDA promises that only to a cooperative launch "
    "(cudaLaunchCooperativeKernel): if the GPU has no room for all blocks at the same time, the launch hangs";

}  // namespace

void LaunchEnding::record(Verdict kind, std::uintptr_t pc, const char* what) {
  const simt::ThreadRef by = simt::Machine::active() ? simt::Machine::current().running().ref : simt::ThreadRef{};
  record(kind, {pc, by}, what);
}

void LaunchEnding::record(Verdict kind, const simt::Wait& at, const char* what, bool note) {
  simt::RawFinding finding;
  finding.kind = kind;
  finding.note = note;
  finding.site.pc = at.pc;
  finding.site.by = at.by;
  finding.what = what;
  log_.report(finding);
}

void LaunchEnding::record_trap(const simt::Machine::Trap& trap) {
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
  log_.report(finding);
}

void LaunchEnding::note_leaks() {
  for (const simt::Leak& leak : simt::leaks_of(memory_)) {
    if (!leak.is_lost && memory_.heap().lives_on()) continue;  // a later launch of the program may free it
    simt::RawFinding finding;
    finding.kind = Verdict::crash;
    finding.note = true;
    finding.about = leak.is_lost ? simt::RawFinding::About::lost : simt::RawFinding::About::kept;
    finding.site = {leak.allocated_by, "", leak.by};
    finding.index = static_cast<std::int64_t>(leak.bytes);
    finding.bound = leak.threads;
    log_.report(finding);
  }
}

bool LaunchEnding::by_memory() {
  const simt::Wait* waits = simt::Machine::active() ? simt::Machine::current().waiting_at() : nullptr;
  if (waits == nullptr) return false;
  record(Verdict::needs_gpu, *waits, waits_for_a_block);
  stop(Status::timeout, "A block waits for another block.");
  return true;
}

std::pair<Status, std::string> LaunchEnding::by_signal(int signal, std::uintptr_t pc, bool overflow) {
  if (signal == SIGPROF || signal == SIGXCPU) {
    record(Verdict::timeout, pc + 1, still_busy);
    return {Status::timeout, "The launch ran out of time."};
  }
  const char* why = overflow ? "overflows its stack: a recursion that never ends, or local arrays too large for it"
                    : signal == SIGFPE
                        ? "divides the lowest integer by -1, whose result does not fit"  // division by zero is caught earlier
                        : "crashes";
  record(Verdict::crash, pc + 1, why);
  return {Status::crash, std::string("A thread ") + why + "."};
}

void LaunchEnding::note(const simt::Machine& machine) {
  if (const auto& timeout = machine.timeout()) {
    if (timeout->waiting_for_another_block) {
      record(Verdict::needs_gpu, {timeout->pc, timeout->by}, waits_for_a_block);
      return stop(Status::timeout, "A block waits for another block.");
    }
    if (timeout->too_many_wait) {
      record(Verdict::timeout, {timeout->pc, timeout->by}, no_room_for_its_block);
      return stop(Status::timeout, "Blocks wait for blocks that have no room on a GPU.");
    }
    record(Verdict::timeout, {timeout->pc, timeout->by}, timeout->waiting_for_another_thread ? waits_for_a_thread : still_busy);
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

}  // namespace tilelab
