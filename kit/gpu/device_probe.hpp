// Which GPUs the driver shows, and whether this process can use one, as JSON for the grader.
#pragma once

#include <string>

namespace tilelab::cuda {

// {"driver": 13000, "library": "/…/libcuda.so.1", "devices": [{"name", "capability", "multiprocessors", …}]} or
// {"trouble": "why there is none"}.
std::string probe_devices(const std::string& driver_path);

// Makes a context on the GPU and writes to its memory. Returns {"usable": true} or {"trouble": "what failed"}.
std::string try_device(const std::string& driver_path, int device);

}  // namespace tilelab::cuda
