// What GPUs the driver shows, and whether this process can use one, as JSON for the grader.
#pragma once

#include <string>

namespace tilelab::cuda {

// {"driver": 13000, "library": "/…/libcuda.so.1", "devices": [{"name", "capability", "multiprocessors", …}]} or
// {"trouble": "why there is none"}.
std::string probe_devices(const std::string& driver_path);

// {"usable": true} after making a context on the GPU and writing to its memory, or {"trouble": "what failed"}.
std::string try_device(const std::string& driver_path, int device);

}  // namespace tilelab::cuda
