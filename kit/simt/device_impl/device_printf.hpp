// What the kernel printed: collected here, never written to a stream of the runner's.
#pragma once

#include <string>

namespace tilelab::simt {

inline constexpr std::size_t max_printed_bytes = 16 * 1024;
const std::string& printed_text();

}  // namespace tilelab::simt
