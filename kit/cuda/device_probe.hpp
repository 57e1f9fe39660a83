// What GPUs the driver shows, as JSON for the grader.
#pragma once

#include <string>

namespace tilelab::cuda {

// {"driver": 13000, "devices": [{"name", "capability", "multiprocessors", …}]} or {"trouble": "why there is none"}.
std::string probe_devices(const std::string& driver_path);

}  // namespace tilelab::cuda
