// What a program left as its results: numbers in files or on its standard output, as bytes or as text. All of it is hostile: sizes are
// limited by what belongs there, and a text is read once from front to back.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judge/program_bench.hpp"
#include "judge/programs/brokered_run.hpp"

namespace tilelab::judge {

// The trial's first result and the others.
std::vector<ResultFile> results_of(const ProgramTrial& trial);

struct FoundResult {
  std::optional<std::vector<double>> values;  // as many as belong there
  std::string trouble;                        // why there are none, for students
  // Of a text: what is right within half a unit of the last digit that was printed, besides the bounds that there were.
  Expectation expectation;
};

FoundResult found_result(const ResultFile& result, const DataFolder& folder, const std::string& printed);

// Numbers with white space between them, and half a unit of the last digit of each.
struct PrintedNumbers {
  std::vector<double> values, half_units;
};
// Nothing where something else stands between them, or where there are more than `most`.
std::optional<PrintedNumbers> numbers_in(std::string_view text, std::size_t most);

}  // namespace tilelab::judge
