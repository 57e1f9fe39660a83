// This file is compiled with the executor, so that the compiler inlines the observers' checks into the one call for an access.
#include "simt/observer_panel.hpp"

namespace tilelab::simt {

void ObserverPanel::join(Announcer& announcer) { observers_.join(announcer, redundant_); }

}  // namespace tilelab::simt
