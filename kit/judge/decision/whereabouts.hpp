// Says in words where wrong elements lie, relative to the edges and the tile grid of an output. It only describes: it does not
// name a cause.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "judge/comparison.hpp"

namespace tilelab::judge {

// `marks` is row-major, '.' where an element is right. At least one is not.
std::string whereabouts(const std::vector<char>& marks, std::size_t rows, std::size_t columns, Tile tile);

}  // namespace tilelab::judge
