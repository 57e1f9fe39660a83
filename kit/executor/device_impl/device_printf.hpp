// Collects what the kernel prints. It never writes to a stream of the runner.
#pragma once

#include <string>

namespace tilelab::simt {

inline constexpr std::size_t max_printed_bytes = 16 * 1024;
const std::string& printed_text();
void allow_printing(std::size_t bytes);  // in place of max_printed_bytes

}  // namespace tilelab::simt
