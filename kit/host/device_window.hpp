// While a DeviceWindow is open, host code can follow pointers to memory of the device. The algorithms of a library run so: on the host,
// with the program's own function objects, and on the device's memory.
//
// Pages come from the device when they are first touched. Those that were written go back when the last window closes. A page that was
// written counts as written by the host, with all its bytes.
#pragma once

#include <cstddef>

#include "runtime_types.hpp"

namespace tilelab_host {

class DeviceWindow {
 public:
  // Waits for the device. Throws std::runtime_error with what the device says if an earlier launch failed.
  DeviceWindow();
  ~DeviceWindow();
  DeviceWindow(const DeviceWindow&) = delete;
  DeviceWindow& operator=(const DeviceWindow&) = delete;
  // What went wrong while pages came; it is asked for once, before the end.
  static void tell_failure();
};

}  // namespace tilelab_host
