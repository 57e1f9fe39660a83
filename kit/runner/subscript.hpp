// Finds in a source line which array a subscript belongs to. The compiler tells where a bad subscript's bracket closes,
// not whose it is.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace tilelab {

struct Subscript {
  std::string array;         // the name before the first bracket
  std::size_t position = 0;  // 0: the first subscript of the array
};

// The subscript whose closing bracket stands at `column` (from 1). None where no such bracket stands there, where what
// comes before is no name, or where the preprocessor may have moved the column: it joins blanks and removes comments.
std::optional<Subscript> subscript_closing_at(const std::string& line, std::size_t column);

}  // namespace tilelab
