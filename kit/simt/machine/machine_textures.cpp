// Accesses through textures and surfaces. What coordinates mean is in device_impl/.
#include "simt/machine/machine.hpp"

namespace tilelab::simt {

void Machine::access_texel(Unit unit, std::uintptr_t address, std::size_t size, AccessKind kind, std::uintptr_t pc, std::uintptr_t frame) {
  last_write_.size = 0;
  if (unit == Unit::texture && redundant_ != nullptr && !reads_are_followed_) {  // as in is_redundant()
    const Region* region = memory_.find_global(address, size);
    if (region != nullptr && is_input_nobody_follows(*region)) {
      spend(pc);
      if (region->marks != nullptr) region->marks->read_plainly(address - region->base, size);
      return;
    }
  }
  access_.unit = unit;
  access(address, size, kind, false, pc, frame);
  access_.unit = Unit::none;
  last_write_.size = 0;
}

void Machine::outside_surface(const TextureObject& object, const SurfaceEvent& event, AccessKind kind, std::uintptr_t pc,
                              std::uintptr_t frame) {
  spend(pc);
  Access access;
  access.unit = Unit::surface;
  access.kind = kind;
  access.region = object.region;
  access.pc = statement(pc, frame);
  access.by = scheduler_.running().ref;
  announcer_.announce(&Observer::on_outside_surface, access, event);
  scheduler_.end_thread();
}

}  // namespace tilelab::simt
