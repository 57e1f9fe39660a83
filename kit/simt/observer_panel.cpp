// Here, where the executor is compiled, the observers' checks are compiled into the one call that an access costs.
#include "simt/observer_panel.hpp"

#include <utility>

namespace tilelab::simt {

void ObserverPanel::join(Announcer& announcer, std::vector<const Region*> outputs) {
  uninitialized_.emplace(log_, std::move(outputs));
  announcer.add_together(all_.emplace(races_, bounds_, *uninitialized_, barriers_, inputs_, counter_), &redundant_);
}

}  // namespace tilelab::simt
