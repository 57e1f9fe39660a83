// Finds in a source line which array a subscript belongs to. GCC tells where a bad subscript's bracket closes, Clang where
// the array's name begins.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tilelab {

struct Subscript {
  std::string array;         // the name before the first bracket
  std::size_t position = 0;  // 0: the first subscript of the array
};

// The subscript whose closing bracket stands at `column` (from 1). None where no such bracket stands there, where what
// comes before is no name, or where the preprocessor may have moved the column: it joins blanks and removes comments.
std::optional<Subscript> subscript_closing_at(const std::string& line, std::size_t column);

// The name that begins at `column`, and the last of the subscripts behind it but `inner`. None likewise.
std::optional<Subscript> subscript_behind(const std::string& line, std::size_t column, std::size_t inner);

// Whether the line uses a macro that the file defines: the compiler's columns are then those of the expanded text.
bool mentions_macro(const std::string& line, const std::vector<std::string>& file);

}  // namespace tilelab
