// The scans' names: see device_ptr.h.
#pragma once

#include <cstdlib>

namespace thrust {

template <typename Input, typename Output>
Output exclusive_scan(Input, Input, Output) {
  std::abort();
}
template <typename Input, typename Output>
Output inclusive_scan(Input, Input, Output) {
  std::abort();
}

}  // namespace thrust
