// Finds matching brackets in a line.
#include "runner/report/subscript.hpp"

#include <algorithm>
#include <cctype>
#include <regex>
#include <set>

namespace tilelab {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The compiler counts columns in the preprocessed text. There the first token keeps its column (counted in bytes), and a run of
// blanks after it becomes a single blank.
bool columns_may_differ(const std::string& line, std::size_t end) {
  std::size_t i = line.find_first_not_of(" \t");
  for (; i + 1 < end; ++i) {
    if (line[i] == '\t' || (line[i] == ' ' && is_blank(line[i + 1])) || (line[i] == '/' && line[i + 1] == '*')) return true;
  }
  return false;
}

// The opening bracket that belongs to the closing bracket at `close`.
std::optional<std::size_t> opening(const std::string& line, std::size_t close) {
  int depth = 0;
  for (std::size_t i = close + 1; i-- > 0;) {
    if (line[i] == ']') ++depth;
    if (line[i] == '[' && --depth == 0) return i;
  }
  return std::nullopt;
}

// The closing bracket that belongs to the opening bracket at `open`.
std::optional<std::size_t> closing(const std::string& line, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < line.size(); ++i) {
    if (line[i] == '[') ++depth;
    if (line[i] == ']' && --depth == 0) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Subscript> subscript_closing_at(const std::string& line, std::size_t column) {
  if (column == 0 || column > line.size() || line[column - 1] != ']' || columns_may_differ(line, column)) return std::nullopt;
  Subscript found;
  for (std::size_t close = column - 1;; ++found.position) {
    const auto open = opening(line, close);
    if (!open) return std::nullopt;
    std::size_t end = *open;
    while (end > 0 && is_blank(line[end - 1])) --end;
    if (end > 0 && line[end - 1] == ']') {
      close = end - 1;
      continue;
    }
    std::size_t begin = end;
    while (begin > 0 && is_name(line[begin - 1])) --begin;
    if (begin == end || std::isdigit(static_cast<unsigned char>(line[begin])) != 0) return std::nullopt;
    found.array = line.substr(begin, end - begin);
    return found;
  }
}

std::optional<Subscript> subscript_behind(const std::string& line, std::size_t column, std::size_t inner) {
  if (column == 0 || column > line.size() || !is_name(line[column - 1]) || columns_may_differ(line, column)) return std::nullopt;
  std::size_t end = column - 1;
  while (end < line.size() && is_name(line[end])) ++end;
  const std::string name = line.substr(column - 1, end - column + 1);
  std::size_t subscripts = 0;
  for (;; ++subscripts) {
    const std::size_t next = line.find_first_not_of(" \t", end);
    const auto close = next != std::string::npos && line[next] == '[' ? closing(line, next) : std::nullopt;
    if (!close) break;
    end = *close + 1;
  }
  if (subscripts <= inner || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return std::nullopt;
  return Subscript{name, subscripts - inner - 1};
}

bool mentions_macro(const std::string& line, const std::vector<std::string>& file) {
  static const std::regex definition(R"(^\s*#\s*define\s+(\w+).*)"), word(R"([A-Za-z_]\w*)");
  std::set<std::string> macros;
  std::smatch found;
  for (const std::string& other : file) {
    if (std::regex_match(other, found, definition)) macros.insert(found[1]);
  }
  return std::any_of(std::sregex_iterator(line.begin(), line.end(), word), std::sregex_iterator(),
                     [&](const std::smatch& one) { return macros.contains(one[0]); });
}

}  // namespace tilelab
