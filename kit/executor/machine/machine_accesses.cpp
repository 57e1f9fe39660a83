// What the machine makes of each access, and how a thread goes wrong: addresses that belong to nothing, wrong pointers and subscripts,
// memory that is freed wrongly, and a spent budget. At the end what a thread may do on its own stack: which frame an
// address belongs to, and the guards between local arrays. That follows the links between frames, so this is compiled with frame pointers
// (CMakeLists.txt).
#include <algorithm>
#include <cstring>

#include "executor/machine/machine.hpp"

namespace tilelab::simt {
namespace {

// A thread that polls one place this often probably waits for another thread, so the others run.
constexpr std::uint32_t polls_before_yield = 64;
// Polls of one thread while no thread of its block does anything new: other blocks run. If none of them changes anything, it may poll
// more often. A loop with an attempt limit has ended before that.
constexpr std::uint32_t polls_of_a_turn = 256, polls_of_the_last_turn = 1u << 13;
constexpr std::uint32_t polls_that_mean_waiting = 4096;
constexpr std::uintptr_t unset_pointer = 0xFEFEFEFEFEFEFEFE;  // what the compiler fills a local variable with that nobody initialises

#if defined(__aarch64__)
constexpr bool locals_above_link = true;
#else
constexpr bool locals_above_link = false;
#endif

// A frame's first word is the address of its caller's frame. Reads the stack even if a sanitizer has marked it.
[[gnu::no_sanitize_address]] std::uintptr_t caller_of(std::uintptr_t link) { return *reinterpret_cast<const std::uintptr_t*>(link); }

[[gnu::no_sanitize_address]] std::uintptr_t return_of(std::uintptr_t link) { return reinterpret_cast<const std::uintptr_t*>(link)[1]; }

constexpr int unset_byte = 0xFE;

constexpr std::size_t link_bytes = 2 * sizeof(std::uintptr_t);

bool holds_link(const BlockScheduler::Running& running, std::uintptr_t link) {
  return link >= running.stack_low && link + link_bytes <= running.stack_high;
}

}  // namespace

// GCC reads an assigned lvalue again if its value is used (`y = ++p[0]`, `a = b = 0`). A compiler for GPUs would not, and Clang
// does not. A thread may read what it has just written, so such reads are not announced.
bool Machine::is_echo(std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, std::uintptr_t statement) {
  const bool echo = kind == AccessKind::read && !is_volatile && last_write_.size == size && last_write_.address == address && same_line_ &&
                    same_line_(last_write_.statement, statement);
  last_write_ = {address, statement, kind == AccessKind::write && !is_volatile ? size : 0};
  return echo;
}

// Functions do not overlap.
bool Machine::is_header_code(std::uintptr_t address) const {
  const auto next = std::ranges::upper_bound(header_code_, address, {}, &AddressRange::first);
  return next != header_code_.begin() && std::prev(next)->contains(address);
}

std::uintptr_t Machine::calling_statement(CallSite site) const {
  for (int depth = 0; depth < 16 && site.frame != entry_frame_; ++depth) {
    if (!is_header_code(site.pc - 1)) break;
    const auto& running = scheduler_.running();
    if (site.frame < running.stack_low || site.frame + 16 > running.stack_high) break;
    site.pc = reinterpret_cast<const std::uintptr_t*>(site.frame)[1];
    site.frame = reinterpret_cast<const std::uintptr_t*>(site.frame)[0];
  }
  return site.pc;
}

void Machine::read_local(std::uintptr_t address, std::size_t size, CallSite site) { local(address, size, AccessKind::read, site); }

void Machine::read_slowly(std::uintptr_t address, std::size_t size, CallSite site) {
  const bool is_followed = reads_are_followed_ && address - stack_low_ >= FiberStacks::stack_bytes;
  if (is_followed && size == 4 && is_redundant<4, false>(address, site.pc)) return;
  if (is_followed && size == 8 && is_redundant<8, false>(address, site.pc)) return;
  if (is_followed && size == 16 && is_redundant<16, false>(address, site.pc)) return;
  access(address, size, AccessKind::read, false, site);
}

void Machine::announce_edge(std::uintptr_t pc) { announcer_.announce_control(&Observer::on_edge, access_.by, pc); }

void Machine::access(std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, CallSite site, Scope scope) {
  if (address - stack_low_ < FiberStacks::stack_bytes) {
    if (kind != AccessKind::read)
      guard_frames(address, size, site);
    else if (is_below(address, site.frame, scheduler_.running()))
      stray_on_stack(address, size, kind, site);
    local(address, size, kind, site);
    return;
  }
  if (kind == AccessKind::read && builtins_.contains(address)) return;
  const std::uintptr_t at = statement(site);
  if (is_echo(address, size, kind, is_volatile, at)) return;
  Access& access = access_;
  if (memory_.in_shared_span(address)) {
    access.space = Space::shared;
    access.region = memory_.find_shared(address, size);
    access.offset = address - memory_.shared_base();
  } else {
    access.region = memory_.find_global(address, size);
    access.space = access.region != nullptr ? access.region->space : Space::global;
    access.offset = access.region != nullptr ? address - access.region->base : 0;
  }
  spend(site.pc);
  access.address = address;
  access.size = static_cast<std::uint32_t>(std::min<std::size_t>(size, 1u << 30));
  access.kind = kind;
  access.is_volatile = is_volatile;
  access.block_scope = scope == Scope::block;
  access.system_scope = scope == Scope::system;
  access.pc = at;
  access.instruction = site.pc;
  if (access.region == nullptr) return stray(access);
  if (kind != AccessKind::read && access.region->role == BufferRole::input && access.space == Space::module) {
    announcer_.announce(&Observer::on_constant_store, access);
    scheduler_.end_thread();  // as on a GPU
  }
  // Compilers optimise away reads of constants whose value they know, but not the same ones. So none of these reads is announced.
  if (access.region->constant && kind == AccessKind::read) {
    ++budget_;
    return;
  }
  if (kind == AccessKind::read && access.region->role == BufferRole::input && access.region->marks != nullptr && !is_volatile)
    access.region->marks->read_plainly(access.offset, size);
  if (is_volatile || kind == AccessKind::atomic)
    poll(access);
  else
    spins_.note(address);
  if (kind == AccessKind::write && held_) wait_if_held(access);
  announcer_.access(access);
}

// As with a poll, the access comes after what the others do meanwhile.
void Machine::wait_if_held(const Access& access) {
  if (access.space == Space::shared || access.by.block != held_->by.block || access.by.thread != held_->by.thread) return;
  if (held_->write-- != 0) return;
  held_.reset();
  const Access kept = access;
  turns_.waits_at = {access.pc, access.by};
  turns_.is_held = true;
  scheduler_.end_turn();
  spins_.forget_trail();
  access_ = kept;
}

// `offset`: as in Access.
void Machine::follow(const Region& region, Space space, std::uint64_t offset, std::size_t size, std::uintptr_t pc) {
  Access& access = access_;
  access.space = space;
  access.region = &region;
  access.offset = offset;
  access.address = (space == Space::shared ? memory_.shared_base() : region.base) + offset;
  access.size = static_cast<std::uint32_t>(size);
  access.kind = AccessKind::read;
  access.is_volatile = access.block_scope = access.system_scope = false;
  access.pc = access.instruction = pc;
  announcer_.redundant_read(access);
}

bool Machine::follow_shared(std::uintptr_t address, std::size_t size, std::uintptr_t pc) {
  const Region* const array = memory_.find_shared(address, size);
  if (array != nullptr) follow(*array, Space::shared, address - memory_.shared_base(), size, pc);
  return array != nullptr;
}

void Machine::check_space(Space space, std::uintptr_t address, std::size_t size, AccessKind kind, bool is_volatile, CallSite site) {
  if (space == Space::shared ? is_shared(address) : !is_shared(address) && !is_local(address)) return;
  spend(site.pc);
  Access access = missed(address, size, kind, site);
  access.space = space;
  access.offset = space == Space::shared ? address - memory_.shared_base() : 0;
  access.is_volatile = is_volatile;
  announcer_.announce(&Observer::on_stray, access, static_cast<const Region*>(nullptr));
  scheduler_.end_thread();
}

// An access that will not happen, as far as it is known without the memory that it was meant for.
Access Machine::missed(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site) const {
  return {.address = address,
          .size = static_cast<std::uint32_t>(size),
          .kind = kind,
          .pc = statement(site),
          .instruction = site.pc,
          .by = access_.by,
          .interval = access_.interval,
          .warp_interval = access_.warp_interval};
}

// In pieces of at most 16 bytes, as one instruction copies them. The pieces past `from_size` are filled with zeros.
void Machine::copy_async(std::uintptr_t to, std::uintptr_t from, std::size_t size, std::size_t from_size, CallSite site) {
  constexpr std::size_t widest = 16;
  for (std::size_t at = 0; at < size; at += widest) {
    const std::size_t piece = std::min(widest, size - at), read = at < from_size ? std::min(piece, from_size - at) : 0;
    CopyEvent copy;
    access_.of_copy = true;
    if (read != 0) {
      last_write_.size = 0;
      access_.region = nullptr;
      access(from + at, read, AccessKind::read, false, site);
      copy.source = access_;
    }
    last_write_.size = 0;
    access_.region = nullptr;
    access(to + at, piece, AccessKind::write, false, site);
    copy.destination = access_;
    access_.of_copy = false;
    std::memmove(reinterpret_cast<void*>(to + at), reinterpret_cast<const void*>(from + at), read);
    std::memset(reinterpret_cast<void*>(to + at + read), 0, piece - read);
    if (copy.destination.region != nullptr) announcer_.announce(&Observer::on_copy_begins, copy);
  }
}

void Machine::access_texel(Unit unit, std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site) {
  last_write_.size = 0;
  if (unit == Unit::texture && redundant_ != nullptr && !reads_are_followed_) {  // as in is_redundant()
    const Region* region = memory_.find_global(address, size);
    if (region != nullptr && is_input_nobody_follows(*region)) {
      spend(site.pc);
      if (region->marks != nullptr) region->marks->read_plainly(address - region->base, size);
      return;
    }
  }
  access_.unit = unit;
  access(address, size, kind, false, site);
  access_.unit = Unit::none;
  last_write_.size = 0;
}

void Machine::outside_surface(const TextureObject& object, const SurfaceEvent& event, AccessKind kind, CallSite site) {
  spend(site.pc);
  Access access = missed(0, 0, kind, site);
  access.unit = Unit::surface;
  access.region = object.region;
  announcer_.announce(&Observer::on_outside_surface, access, event);
  scheduler_.end_thread();
}

bool Machine::is_constant(std::uintptr_t address) {
  if (is_shared(address) || is_local(address)) return false;
  const Region* region = memory_.find_global(address, 1);
  return region != nullptr && region->space == Space::module && region->role == BufferRole::input;
}

std::uint64_t Machine::clock(std::uintptr_t pc) {
  constexpr std::uint64_t steps_of_an_idle_loop = 24, furthest_jump = 1u << 20;
  spend(pc);
  const std::uint32_t thread = scheduler_.running().ref.thread;
  const bool idle = clock_.thread == thread && events() - clock_.steps <= steps_of_an_idle_loop;
  clock_.jump = idle ? std::min(clock_.jump * 2, furthest_jump) : 1;
  clock_.ahead += clock_.jump;
  clock_.thread = thread;
  clock_.steps = events();
  return events() + clock_.ahead;
}

// A thread that polls the same place again and again lets the others run. If none of them does anything new, they can only wait
// for another block. The access comes after that: it reads what the others have written meanwhile, so it is announced afterwards.
void Machine::poll(const Access& access) {
  const std::uint32_t thread = access.by.thread;
  spins_.poll(thread, access.address, access.size, scheduler_.progress());
  if (spins_.polls(thread) % polls_before_yield != 0) return;
  const Access kept = access;
  if (waits_for_another_block()) {
    turns_.waits_at = {access.pc, access.by};
    scheduler_.end_turn();
  } else {
    scheduler_.yield();
  }
  spins_.forget_trail();
  access_ = kept;
}

bool Machine::waits_for_another_block() const {
  const std::uint32_t thread = scheduler_.running().ref.thread;
  const bool are_others = turns_.started < turns_.blocks || !waiting_.empty();
  return are_others && spins_.still(thread) >= (turns_.is_last_chance ? polls_of_the_last_turn : polls_of_a_turn) &&
         !memory_.in_shared_span(spins_.polled_by(thread));
}

void Machine::fence(std::uintptr_t pc, bool block_scope) {
  announcer_.announce(&Observer::on_fence, FenceEvent{scheduler_.running().ref, pc, block_scope});
}

void Machine::stray(const Access& access) {
  if (memory_.is_guard(access.address)) return;
  const Region* near = nullptr;
  bool harmless = false;
  if (access.space == Space::shared) {
    near = memory_.shared_before(access.address);
    harmless = access.address + access.size <= memory_.shared_base() + memory_.shared_span();
  } else {
    near = memory_.buffer_near(access.address);
    const std::size_t behind = near != nullptr && near->heap != nullptr ? 0 : red_zone_bytes;  // the heap's red zones are inside it
    harmless = near != nullptr && access.size <= red_zone_bytes && access.address + access.size <= near->base + near->bytes + behind;
    if (near == nullptr) {
      near = memory_.variable_near(access.address);
      harmless = near != nullptr && access.address >= near->base && access.address - near->base < near->room &&
                 access.size <= near->room - (access.address - near->base);
    }
  }
  announcer_.announce(&Observer::on_stray, access, near);
  if (!harmless) scheduler_.end_thread();
}

void Machine::check_target(std::uintptr_t target, CallSite site) {
  if (std::binary_search(targets_.begin(), targets_.end(), target)) return;
  const std::uintptr_t at = statement(site);
  if (target == 0) trap("calls a function through a null pointer", at);
  if (target == unset_pointer) trap("calls a function through a pointer that was never set", at);
  trap("calls a function through a pointer that holds no function of the file", at);
}

std::uintptr_t Machine::allocate(std::size_t bytes, std::uintptr_t statement) {
  spend(statement);
  DeviceHeap& heap = memory_.heap();
  const std::uintptr_t address = heap.allocate(bytes, statement, scheduler_.running().ref);
  if (heap.is_exhausted()) trap("allocates more in one launch than the executor can tell apart", statement, 0, true);
  return address;
}

void Machine::release(std::uintptr_t address, std::uintptr_t statement) {
  spend(statement);
  if (address == 0) return;
  DeviceHeap& heap = memory_.heap();
  const ThreadRef by = scheduler_.running().ref;
  const DeviceHeap::Freed freed = heap.release(address, statement, by);
  if (freed == DeviceHeap::Freed::yes) return;
  const DeviceHeap::Allocation* near = heap.near(address);
  const bool again = freed == DeviceHeap::Freed::again;
  trap_ = Trap{.why = again ? "frees memory that was freed before" : "frees an address that malloc or new did not return",
               .pc = statement,
               .by = by,
               .of_heap = near == nullptr ? nullptr
                          : again && near->freed_by == DeviceHeap::elsewhere
                              ? "frees {array} again: an earlier launch has freed that memory before"
                          : again ? "frees {array} again: {other} has freed that memory before"
                                  : "frees {element}: only an address that malloc or new returned can be freed",
               .address = address,
               .freed_by = again && near->freed_by != DeviceHeap::elsewhere ? near->freed_by : 0,
               .freeing = again ? near->freeing : ThreadRef{}};
  scheduler_.end_launch();
}

void Machine::index_outside(const Subscripted& what, CallSite site) {
  announcer_.announce(&Observer::on_index, IndexEvent{what, scheduler_.running().ref, statement(site)});
  scheduler_.end_thread();
}

void Machine::misaligned(std::uintptr_t address, std::size_t alignment, CallSite site) {
  Access access = missed(address, 0, AccessKind::read, site);
  access.space = memory_.in_shared_span(address) ? Space::shared : Space::global;
  access.region = access.space == Space::shared ? memory_.find_shared(address, 1) : memory_.find_global(address, 1);
  announcer_.announce(&Observer::on_misaligned, access, alignment);
  scheduler_.end_thread();
}

void Machine::trap(const char* why, std::uintptr_t pc, int line, bool needs_gpu) {
  trap_ = Trap{.why = why, .pc = pc, .by = scheduler_.running().ref, .line = line, .freeing = {}, .needs_gpu = needs_gpu};
  scheduler_.end_launch();
}

void Machine::out_of_budget(std::uintptr_t pc) {
  budget_ = 1;  // later events, until the launch has ended, cost nothing
  const ThreadRef by = scheduler_.running().ref;
  timeout_ = Timeout{.pc = pc, .by = by, .waiting_for_another_thread = spins_.same(by.thread) > polls_that_mean_waiting};
  scheduler_.end_launch();
}

// Ends the thread if a write changes a frame link or a frame that it must not touch. A write may change locals of this frame and
// of its callers. It must not change the two words that link a frame to its caller, or anything beyond the kernel's own frame,
// where the kit's frames are. It must not change anything below the running frame either: there are the frames of the callback,
// or of a copy in progress. A launch function may write its answer to its caller's frame. On x86-64 a frame's locals are below
// its link, on 64-bit ARM above it. So on x86-64 a frame begins where its callback's link ends, and the kernel's frame ends at
// its own link. On ARM a frame begins at its own link, and the kernel's ends at its caller's link.
void Machine::guard_frames(std::uintptr_t address, std::size_t size, CallSite site) {
  const auto& running = scheduler_.running();
  bool allowed = !is_below(address, site.frame, running);
  for (std::uintptr_t link = site.frame; allowed && address + size > link; link = caller_of(link)) {
    if (!holds_link(running, link)) return;
    const bool is_last = link == entry_frame_ || (!locals_above_link && caller_of(link) == entry_frame_);
    if (is_last && is_argument(address, size, link)) return;
    if (address < link + link_bytes || is_last) allowed = false;
  }
  if (allowed || (answer_.contains(address) && size <= answer_.end - address)) return;
  stray_on_stack(address, size, AccessKind::write, site);
}

// On x86-64 the arguments that fit into no register lie behind the link of the kernel's own frame.
bool Machine::is_argument(std::uintptr_t address, std::size_t size, std::uintptr_t link) const {
  const std::uintptr_t offset = address - (link + link_bytes);
  return !locals_above_link && link != entry_frame_ && offset < argument_bytes_ && size <= argument_bytes_ - offset;
}

bool Machine::is_below(std::uintptr_t address, std::uintptr_t frame, const BlockScheduler::Running& running) {
  if (locals_above_link) return address < frame;
  auto announcing = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  while (holds_link(running, announcing) && announcing < frame && caller_of(announcing) != frame) announcing = caller_of(announcing);
  return announcing < frame && holds_link(running, announcing) && address < announcing + link_bytes;
}

bool Machine::refuses_below(std::uintptr_t stack_pointer, std::uintptr_t address, CallSite site) {
  if (address - stack_low_ >= FiberStacks::stack_bytes || address >= stack_pointer) return false;
  stray_on_stack(address, 1, AccessKind::write, site);
}

Machine::Owner Machine::owner_of(std::uintptr_t address, CallSite site) const {
  const auto& running = scheduler_.running();
  for (std::uintptr_t link = site.frame; link != entry_frame_ && holds_link(running, link);) {
    if (address < link) return {link, site.pc};
    if (caller_of(link) <= link) break;
    site.pc = return_of(link);
    link = caller_of(link);
  }
  return {};
}

bool Machine::look_at(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site) {
  const Owner owner = owner_of(address, site);
  if (owner.link == 0) return false;
  LocalGaps::Gap gap{0 - FiberStacks::stack_bytes, 0, false};  // from the link, which ends the frame's locals
  bool begins_known = false;
  if (const GuardedFrame* guarded = guards_->frame_of(owner.pc)) {
    const auto offset = static_cast<std::int64_t>(address - owner.link);
    const GuardedFrame::Look look = guarded->look(offset, size);
    if (look.zone != nullptr) stray_on_stack(address, size, kind, site, FrameGuards::missed_by(*guarded, *look.zone, offset, size));
    if (look.begin) gap.begin = static_cast<std::uintptr_t>(*look.begin);
    if (look.end) gap.end = static_cast<std::uintptr_t>(*look.end);
    gap.in_memory = look.in_memory;
    begins_known = look.begin.has_value();
  }
  if (owner.link == site.frame)
    gaps_.add_own(site.pc, gap);
  else  // below `address` may lie frames of others
    gaps_.add_caller({begins_known ? owner.link + gap.begin : address, owner.link + gap.end, gap.in_memory});
  return gap.in_memory;
}

// No local has a value when its function begins, so nothing is lost. Reads the stack even if a sanitizer has marked it.
[[gnu::no_sanitize_address]] void Machine::unset_locals(CallSite site) {
  const auto& running = scheduler_.running();
  const GuardedFrame* known = guards_->frame_of(site.pc);
  if (known == nullptr || !holds_link(running, site.frame)) return;
  for (const GuardedFrame::Extent& local : known->unset) {
    if (local.begin >= local.end || local.end > 0 || site.frame + static_cast<std::uintptr_t>(local.begin) < running.stack_low) continue;
    std::memset(reinterpret_cast<char*>(site.frame) + local.begin, unset_byte, static_cast<std::size_t>(local.end - local.begin));
  }
}

void Machine::stray_on_stack(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site, const FrameGuards::Hit& hit) {
  Access access = missed(address, size, kind, site);
  access.region = hit.variable;
  access.offset = static_cast<std::uint64_t>(hit.offset);
  announcer_.announce(&Observer::on_stray, access, hit.variable);
  scheduler_.end_thread();
}

}  // namespace tilelab::simt
