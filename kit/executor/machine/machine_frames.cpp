// What a thread may do on its stack: which frame an address belongs to, and the guards between local arrays. It follows the links
// between frames, so it is compiled with frame pointers (CMakeLists.txt).
#include <cstring>

#include "executor/machine/machine.hpp"

namespace tilelab::simt {
namespace {

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

std::uintptr_t Machine::look_at(std::uintptr_t address, std::size_t size, AccessKind kind, CallSite site) {
  const Owner owner = owner_of(address, site);
  if (owner.link == 0) return 0;
  const bool is_own = owner.link == site.frame;
  const std::uintptr_t beyond = locals_ != nullptr ? guards_beyond(owner) : 0;
  LocalGaps::Gap gap{0 - FiberStacks::stack_bytes, 0, beyond};  // from the link, which ends the frame's locals
  bool begins_known = false;
  if (const GuardedFrame* guarded = guards_->frame_of(owner.pc)) {
    const auto offset = static_cast<std::int64_t>(address - owner.link);
    const GuardedFrame::Look look = guarded->look(offset, size);
    if (look.zone != nullptr) stray_on_stack(address, size, kind, site, FrameGuards::missed_by(*guarded, *look.zone, offset, size));
    if (look.begin) gap.begin = static_cast<std::uintptr_t>(*look.begin);
    if (look.end) gap.end = static_cast<std::uintptr_t>(*look.end);
    gap.guards_above += static_cast<std::uintptr_t>(look.bytes_above);
    begins_known = look.begin.has_value();
  }
  const std::uintptr_t guards_above = gap.guards_above;
  if (is_own) {
    gap.guards_above -= beyond;
    gaps_.add_own(site.pc, gap);
    gaps_.set_beyond(site.frame, beyond);
  } else {  // below `address` may lie frames of others
    gaps_.add_caller({begins_known ? owner.link + gap.begin : address, owner.link + gap.end, guards_above});
  }
  return guards_above;
}

// The bytes of guards in the frames of those who called the function.
std::uintptr_t Machine::guards_beyond(const Owner& owner) const {
  std::uintptr_t sum = 0;
  const auto& running = scheduler_.running();
  std::uintptr_t link = owner.link;
  while (caller_of(link) > link) {
    const std::uintptr_t pc = return_of(link);
    link = caller_of(link);
    if (link == entry_frame_ || !holds_link(running, link)) break;
    if (const GuardedFrame* guarded = guards_->frame_of(pc)) sum += static_cast<std::uintptr_t>(guarded->zone_bytes());
  }
  return sum;
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
