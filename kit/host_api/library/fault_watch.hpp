// Notices host code that touches memory of the device, or managed and page-locked memory that a kernel or a copy may still change.
// The pages of the first are never mapped, those of the second are closed until the program waits; a fault is told to the conductor.
// Other faults end the program, as they would without this.
#pragma once

#include <nlohmann/json.hpp>

namespace tilelab_host {

void watch_faults();
// Closes and opens the ranges that a reply names under "guard" and "unguard".
void guard_ranges(const nlohmann::json& reply);

}  // namespace tilelab_host
