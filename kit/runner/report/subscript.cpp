// Finds matching brackets in a line.
#include "runner/report/launch_report.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

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

std::string_view without_space(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())) != 0) text.remove_prefix(1);
  return text;
}

std::size_t name_length(std::string_view text) {
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_name) - text.begin());
}

// The names in it, as parts of `line`. What begins with a digit is none.
std::vector<std::string_view> names_in(std::string_view line) {
  std::vector<std::string_view> found;
  while (!line.empty()) {
    const std::size_t length = name_length(line);
    if (length != 0 && std::isdigit(static_cast<unsigned char>(line.front())) == 0) found.push_back(line.substr(0, length));
    line.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return found;
}

// The macro that a line defines; empty: none.
std::string_view defined_macro(std::string_view line) {
  line = without_space(line);
  if (!line.starts_with('#')) return {};
  line = without_space(line.substr(1));
  constexpr std::string_view define = "define";
  if (!line.starts_with(define)) return {};
  line.remove_prefix(define.size());
  if (line.empty() || std::isspace(static_cast<unsigned char>(line.front())) == 0) return {};
  line = without_space(line);
  return line.substr(0, name_length(line));
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
  std::set<std::string_view> macros;
  for (const std::string& other : file) {
    if (const std::string_view name = defined_macro(other); !name.empty()) macros.insert(name);
  }
  const std::vector<std::string_view> names = names_in(line);
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) { return macros.contains(name); });
}

std::set<std::string> subscripted_names(const std::string& line) {
  std::set<std::string> found;
  for (const std::string_view name : names_in(line)) {
    const std::string_view rest =
        without_space(std::string_view(line).substr(static_cast<std::size_t>(name.data() + name.size() - line.data())));
    if (rest.starts_with('[')) found.emplace(name);
  }
  return found;
}

}  // namespace tilelab
