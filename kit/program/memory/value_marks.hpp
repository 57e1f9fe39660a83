// Marks of bytes (see simt/memory/byte_marks.hpp), as copies by the host change them. Positions are bytes from an allocation's start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace tilelab::program {

// The host has set these bytes.
void mark_as_set(std::uint8_t* marks, std::size_t first, std::size_t bytes);
// They were copied from bytes with other marks. The ranges may overlap.
void copy_marks(std::uint8_t* to, std::size_t to_first, const std::uint8_t* from, std::size_t from_first, std::size_t bytes);
bool all_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes);
// Calls `visit` with the first byte and the number of bytes of each part of [first, first + bytes) that kernels wrote without a gap.
void for_each_written_by_kernel(const std::uint8_t* marks, std::size_t first, std::size_t bytes,
                                const std::function<void(std::size_t, std::size_t)>& visit);
bool none_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes);

}  // namespace tilelab::program
