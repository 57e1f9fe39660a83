// Here, where the executor is compiled, the observers' checks are compiled into the one call that an access costs.
#include "simt/observer_panel.hpp"

namespace tilelab::simt {

void ObserverPanel::join(Announcer& announcer) { observers_.join(announcer, redundant_); }

}  // namespace tilelab::simt
