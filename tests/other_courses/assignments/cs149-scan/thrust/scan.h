// The scans' names: see device_ptr.h.
#pragma once

namespace thrust {

template <typename Input, typename Output>
Output exclusive_scan(Input first, Input last, Output result);
template <typename Input, typename Output>
Output inclusive_scan(Input first, Input last, Output result);

}  // namespace thrust
