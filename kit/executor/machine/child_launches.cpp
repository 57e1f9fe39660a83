// What kernels launch. Each wave of children runs with all that it launches in turn before the next wave begins: see block_state.hpp.
#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "executor/machine/machine.hpp"

namespace tilelab::simt {
namespace {

constexpr std::size_t most_argument_bytes = 4096;  // as CUDA's
constexpr int invalid_value = 1, invalid_configuration = 9;

// The copy belongs to the callee.
[[gnu::noinline]] void call_child(std::uintptr_t run, const std::vector<unsigned char>& record) {
  alignas(16) unsigned char copy[most_argument_bytes];
  std::memcpy(copy, record.data(), record.size());
  const auto at = reinterpret_cast<std::uintptr_t>(copy);
  Machine::current().entered_kernel(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), {at, at + record.size()});
  reinterpret_cast<void (*)(void*)>(run)(copy);
  distrust_registers();
}

template <typename Key>
void add_waves(std::vector<std::vector<ChildGrid>>& waves, std::vector<ChildGrid> grids, Key key) {
  std::map<decltype(key(grids.front())), std::size_t> lengths;
  const std::size_t first = waves.size();
  for (ChildGrid& one : grids) {
    const std::size_t wave = first + lengths[key(one)]++;
    if (wave == waves.size()) waves.emplace_back();
    waves[wave].push_back(std::move(one));
  }
}

// The pending grids as waves: those of one wave are not ordered among each other, and each wave comes after the one before. The last ones
// are of the tail.
std::vector<std::vector<ChildGrid>> waves_of(std::vector<ChildGrid> pending) {
  std::ranges::sort(pending, {}, [](const ChildGrid& one) { return std::tuple(one.launch.by.block, one.order()); });
  std::vector<ChildGrid> tails;
  for (ChildGrid& one : pending) {
    if (one.is_tail()) tails.push_back(std::move(one));
  }
  std::erase_if(pending, [](const ChildGrid& one) { return one.is_tail(); });
  std::vector<std::vector<ChildGrid>> waves;
  add_waves(waves, std::move(pending), [](const ChildGrid& one) { return one.stream_of_block(); });
  add_waves(waves, std::move(tails), [](const ChildGrid& one) { return one.launch.grid; });
  return waves;
}

}  // namespace

bool Machine::is_on_stack(std::uintptr_t address, std::size_t bytes) const {
  return is_local(address) && bytes <= FiberStacks::stack_bytes - (address - stack_low_);
}

bool Machine::points_to_own_memory(const std::vector<unsigned char>& record) const {
  for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= record.size(); at += sizeof(std::uintptr_t)) {
    std::uintptr_t word = 0;
    std::memcpy(&word, record.data() + at, sizeof word);
    if (is_local(word) || is_shared(word)) return true;
  }
  return false;
}

int Machine::launch_child(std::uintptr_t configuration, std::uintptr_t run, std::uintptr_t record, std::size_t bytes, CallSite site) {
  const std::uintptr_t at = statement(site);
  spend(at);
  check_target(run, site);
  const bool sound = is_on_stack(configuration, sizeof(ChildGrid::Configuration)) && is_on_stack(record, bytes);
  if (!sound || bytes > most_argument_bytes) trap("launches a kernel in a way that the executor does not know", at);
  ChildGrid child;
  std::memcpy(&child.configuration, reinterpret_cast<const void*>(configuration), sizeof child.configuration);
  child.run = run;
  const auto* first = reinterpret_cast<const unsigned char*>(record);
  child.record.assign(first, first + bytes);
  const auto& running = scheduler_.running();
  child.launch = {.by = running.ref,
                  .pc = at,
                  .interval = running.interval,
                  .warp_interval = running.warp_interval,
                  .number = children_.launches++,
                  .grid = static_cast<std::uint32_t>(children_.begun.size()),
                  .is_tail = child.is_tail()};
  child.depth = children_.depth + 1;
  const auto refuse = [&](const char* why, int error) {
    announcer_.announce(&Observer::on_child_refused, child.launch, why);
    return children_.errors[{child.launch.by.block, child.launch.by.thread}] = error;
  };
  if (points_to_own_memory(child.record)) {
    return refuse("passes an address in its own local or shared memory to a kernel that it launches: no other grid can use that memory",
                  invalid_value);
  }
  if (!refusal_) trap("launches a kernel where none may be launched", at);
  if (const std::string why = refusal_(child.configuration); !why.empty()) return refuse(why.c_str(), invalid_configuration);
  if (child.depth > ChildGrids::deepest) {
    return refuse("launches a kernel at a depth of more than 24 launches, each by the kernel before: CUDA does not begin it",
                  invalid_configuration);
  }
  if (children_.waiting == ChildGrids::most_pending) {
    trap(
        "launches more than 2,048 kernels before the first of them begins. A GPU keeps no more of them waiting if the program does not ask "
        "for it (cudaLimitDevRuntimePendingLaunchCount): then launches fail, or not, depending on how fast it is",
        at, 0, true);
  }
  ++children_.waiting;
  announcer_.announce(&Observer::on_child_launch, child.launch);
  children_.pending.push_back(std::move(child));
  return 0;
}

int Machine::last_launch_error(bool forget) {
  const ThreadRef by = scheduler_.running().ref;
  const auto found = children_.errors.find({by.block, by.thread});
  if (found == children_.errors.end()) return 0;
  const int error = found->second;
  if (forget) children_.errors.erase(found);
  return error;
}

void Machine::run_children() {
  for (std::vector<ChildGrid>& wave : waves_of(std::exchange(children_.pending, {}))) {
    announcer_.announce(&Observer::on_grid_sync);
    for (ChildGrid& child : wave) {
      if (timeout_ || trap_) return;
      run_child(child);
    }
    if (timeout_ || trap_) return;
    run_children();
  }
}

void Machine::run_child(ChildGrid& child) {
  --children_.waiting;
  launch_.grid = child.configuration.grid;
  launch_.block = child.configuration.block;
  launch_.dynamic_shared_bytes = child.configuration.shared_bytes;
  launch_.cooperative = false;
  memory_.set_dynamic_bytes(launch_.dynamic_shared_bytes);
  first_block_ = children_.next_block;
  children_.depth = child.depth;
  children_.begun.push_back({.launched = child.launch, .grid = launch_.grid, .block = launch_.block, .first_block = first_block_});
  announcer_.announce(&Observer::on_grid_begin, children_.begun.back());
  run_grid([&child] { call_child(child.run, child.record); });
}

}  // namespace tilelab::simt
