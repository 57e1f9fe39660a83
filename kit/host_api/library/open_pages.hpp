// The pages of device memory that are mapped in the program while a DeviceWindow is open.
#pragma once

#include <cstdint>

namespace tilelab_host {

// Called by the handler of faults. Whether the access can be tried again: a window is open, and the address lies in living memory.
bool open_page(std::uintptr_t address);

}  // namespace tilelab_host
