// Finds the array that a subscript in a source line belongs to. GCC reports the column of the bad subscript's closing bracket,
// Clang the column where the array's name begins.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tilelab {

struct Subscript {
  std::string array;         // the name before the first bracket
  std::size_t position = 0;  // 0: the first subscript of the array
};

// The subscript whose closing bracket is at `column` (counted from 1). None if there is no such bracket, if what precedes it is
// no name, or if the preprocessor may have moved the column: it joins blanks and removes comments.
std::optional<Subscript> subscript_closing_at(const std::string& line, std::size_t column);

// The array whose name begins at `column`, and its last subscript but `inner`. None for the same reasons.
std::optional<Subscript> subscript_behind(const std::string& line, std::size_t column, std::size_t inner);

// Whether the line uses a macro that the file defines. If so, the compiler's columns count in the expanded text.
bool mentions_macro(const std::string& line, const std::vector<std::string>& file);

// The names in the line that a `[` follows.
std::set<std::string> subscripted_names(const std::string& line);

}  // namespace tilelab
