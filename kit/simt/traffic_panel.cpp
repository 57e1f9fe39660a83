// This file is compiled with the executor, as observer_panel.cpp is.
#include "simt/traffic_panel.hpp"

namespace tilelab::simt {

void TrafficPanel::join(Announcer& announcer) {
  announcer.add_together(both_);
  announcer.tell_directly(requests_.warps());
}

}  // namespace tilelab::simt
