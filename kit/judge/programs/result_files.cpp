#include "judge/programs/result_files.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "operands/operand.hpp"

namespace tilelab::judge {
namespace {

constexpr std::size_t longest_number = 64, spare_bytes = 4096;  // of a text file
// So much of a number's usual size may be lost where it is printed: a file of zeros would be right otherwise, as "0e9" or as "0.0".
constexpr double coarsest = 0.005;
constexpr int most_exponent = 400;

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string count_of(std::size_t number, const char* what) { return std::to_string(number) + " " + what + (number == 1 ? "" : "s"); }

// Of "12.50e3": 0.5 * 10^(3 - 2).
double half_unit(std::string_view number) {
  const std::size_t e = number.find_first_of("eE"), dot = number.find('.');
  const std::string_view digits = number.substr(0, e);
  int exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view power = number.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    std::from_chars(power.data(), power.data() + power.size(), exponent);
  }
  const int decimals = dot >= digits.size() ? 0 : static_cast<int>(std::min<std::size_t>(digits.size() - dot - 1, most_exponent));
  return 0.5 * std::pow(10.0, std::clamp(exponent, -most_exponent, most_exponent) - decimals);
}

// How large the numbers of a result usually are.
double usual_size(const Expectation& expectation) {
  double sum = 0;
  std::size_t count = 0;
  for (const double value : expectation.values) {
    if (!std::isfinite(value)) continue;
    sum += std::abs(value);
    ++count;
  }
  return count == 0 ? 0 : sum / static_cast<double>(count);
}

Expectation widened(Expectation right, ElementType type, const std::vector<double>& half_units) {
  if (!is_floating(type)) return right;
  const double most = coarsest * usual_size(right);
  if (right.bounds.empty()) right.bounds.assign(right.values.size(), 0.0);
  for (std::size_t i = 0; i < right.bounds.size(); ++i) right.bounds[i] += std::min(half_units[i], most);
  return right;
}

// What may stand before the numbers: the header, or where the trial names none, the sizes.
std::size_t header_length(const ResultFile& result, const std::vector<double>& found) {
  const auto begins_with = [&](const std::vector<double>& numbers) {
    return found.size() >= numbers.size() && std::equal(numbers.begin(), numbers.end(), found.begin());
  };
  const std::vector<double>& header = result.form.header;
  if (!header.empty()) return begins_with(header) ? header.size() : 0;
  const auto rows = static_cast<double>(result.expectation.rows), columns = static_cast<double>(result.expectation.columns);
  const std::size_t size = result.expectation.values.size();
  for (const std::vector<double>& sizes : {std::vector{rows, columns}, std::vector{rows * columns}})
    if (found.size() == size + sizes.size() && begins_with(sizes)) return sizes.size();
  return 0;
}

FoundResult from_text(const ResultFile& result, const std::string& name, std::string_view text) {
  const std::size_t size = result.expectation.values.size(), most = size + std::max<std::size_t>(result.form.header.size(), 2);
  std::size_t allowed = most;
  if (!result.form.behind.empty()) {
    const std::size_t at = text.rfind(result.form.behind);
    if (at == std::string_view::npos) return {{}, "There is no \"" + result.form.behind + "\" on the standard output.", {}};
    text.remove_prefix(at + result.form.behind.size());
    allowed = size;
    std::size_t end = 0;  // behind the numbers anything may stand
    for (std::size_t number = 0; number < size; ++number) {
      while (end < text.size() && is_space(text[end])) ++end;
      while (end < text.size() && !is_space(text[end])) ++end;
    }
    text = text.substr(0, end);
  }
  auto found = numbers_in(text, allowed);
  if (!found) return {{}, name + " holds something else than " + count_of(size, "number") + " with blanks or line ends between them.", {}};
  const std::size_t header = header_length(result, found->values);
  if (header < result.form.header.size() || found->values.size() != size + header) {
    std::string belongs = std::to_string(size) + " belong there";
    if (!result.form.header.empty()) {
      belongs += ", behind";
      for (const double one : result.form.header) belongs += " " + std::to_string(static_cast<long long>(one));
    }
    return {{}, name + " has " + count_of(found->values.size(), "number") + "; " + belongs + ".", {}};
  }
  for (auto* list : {&found->values, &found->half_units}) list->erase(list->begin(), list->begin() + static_cast<std::ptrdiff_t>(header));
  return {std::move(found->values), {}, widened(result.expectation, result.type, found->half_units)};
}

}  // namespace

std::vector<ResultFile> results_of(const ProgramTrial& trial) {
  std::vector<ResultFile> all{{trial.output, trial.type, trial.expectation, trial.form}};
  all.insert(all.end(), trial.other_results.begin(), trial.other_results.end());
  return all;
}

FoundResult found_result(const ResultFile& result, const DataFolder& folder, const std::string& printed) {
  if (result.name.empty()) return from_text(result, "The program's standard output", printed);
  const ResultForm& form = result.form;
  const std::size_t size = result.expectation.values.size();
  const std::vector<std::byte> header = encoded(form.header_type, form.header);
  const std::size_t bytes = header.size() + size * bytes_of(result.type);
  auto found = folder.read(result.name, std::max(bytes, size * longest_number) + spare_bytes);
  if (!found.content) return {{}, "The program's result " + result.name + " " + found.trouble + ".", {}};
  const std::vector<std::byte>& content = *found.content;
  const std::string_view text(reinterpret_cast<const char*>(content.data()), content.size());
  const auto as_bytes = [&]() -> FoundResult {
    if (content.size() == bytes) {
      if (!std::equal(header.begin(), header.end(), content.begin()))
        return {{}, result.name + " begins with other numbers than its sizes.", {}};
      return {decoded(result.type, std::span(content).subspan(header.size())), {}, result.expectation};
    }
    return {{},
            result.name + " holds " + count_of(content.size(), "byte") + "; " + count_of(size, "number") + " of " +
                count_of(bytes_of(result.type), "byte") + " belong there.",
            {}};
  };
  if (form.kind == ResultForm::Kind::text) return from_text(result, result.name, text);
  const bool is_readable = std::ranges::all_of(text, [](char c) { return is_space(c) || (c >= ' ' && c <= '~'); });
  if (form.kind == ResultForm::Kind::binary || !is_readable) return as_bytes();
  if (content.size() != bytes) return from_text(result, result.name, text);
  // It may be either: the bytes of a few numbers are letters and digits now and then. What is right as one of the two is right.
  FoundResult binary = as_bytes();
  if (binary.values && !compare(*binary.values, binary.expectation, {})) return binary;
  FoundResult written = from_text(result, result.name, text);
  return written.values ? std::move(written) : std::move(binary);
}

std::optional<PrintedNumbers> numbers_in(std::string_view text, std::size_t most) {
  PrintedNumbers found;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return found;
    if (found.values.size() == most) return std::nullopt;
    if (*at == '+') ++at;
    double value = 0;
    const auto [after, error] = std::from_chars(at, end, value);
    if (error == std::errc::invalid_argument || (after != end && !is_space(*after))) return std::nullopt;
    // "1e999999" is no number of any type; a right program never writes it.
    found.values.push_back(error == std::errc{} ? value : std::numeric_limits<double>::quiet_NaN());
    found.half_units.push_back(half_unit({at, after}));
    at = after;
  }
}

}  // namespace tilelab::judge
