// Collects what the kernel prints. It never writes to a stream of the runner.
#pragma once

#include <string>

namespace tilelab::simt {

inline constexpr std::size_t max_printed_bytes = 16 * 1024;
const std::string& printed_text();

}  // namespace tilelab::simt
