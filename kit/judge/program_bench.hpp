// The checks of labs whose students hand in a whole program. One run of it to be judged: its command line, the files that it finds, what it
// must leave. Plain data that a problem in kit/problems makes. Only the problem knows what the numbers mean.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "judge/trial.hpp"
#include "operands/operand.hpp"

namespace tilelab::judge {

struct LaunchRecord;

struct DataFile {
  std::string name;  // in the folder in which the program runs, perhaps in folders of it: "data/0/input0.raw". "out/": a folder
  std::vector<std::byte> content;
  // The file's numbers as the program has them in memory, where `content` is not just that: a text, or bytes behind a header.
  std::vector<std::byte> numbers = {};
  std::optional<ElementType> type = {};  // of the numbers; none: the trial's

  const std::vector<std::byte>& in_memory() const { return numbers.empty() ? content : numbers; }
};

// Numbers as they lie in memory, without a header: what fread and fwrite move.
inline DataFile data_file(std::string name, ElementType type, const std::vector<double>& values) {
  return {.name = std::move(name), .content = encoded(type, values), .type = type};
}

// How numbers stand in a file that a program writes. Text: with white space between them, as printf and streams write them.
struct ResultForm {
  enum class Kind {
    either,  // bytes where the file is exactly as large as they would be, else text
    text,
    binary
  };
  Kind kind = Kind::either;
  // Numbers before the result. Text without `header` may begin with the rows and columns, or with the number of elements.
  std::vector<double> header = {};
  ElementType header_type = ElementType::i32;  // of a binary file
  std::string behind = {};                     // on standard output: the words behind which the numbers stand, "sum ="; empty: nothing else
};

struct ResultFile {
  std::string name;  // as DataFile's; empty: standard output
  ElementType type = ElementType::f32;
  Expectation expectation;
  ResultForm form = {};
};

// Other numbers for each of the files, and what they give.
struct AlteredFiles {
  std::vector<DataFile> files;
  Expectation expectation;
  std::vector<Expectation> others = {};  // of the trial's other results
};

struct ProgramTrial {
  std::string shape;                   // "n=1000"
  std::string inputs;                  // "random numbers"
  std::vector<std::string> arguments;  // behind the program's name
  std::vector<DataFile> files;
  std::string output;  // the file that it must write; empty: numbers on its standard output
  ElementType type = ElementType::f32;
  Expectation expectation;
  ResultForm form = {};
  std::vector<ResultFile> other_results = {};
  // A result that some kernel must have written in device memory before the program wrote it down. False: the host may compute it.
  bool must_come_from_a_kernel = true;
  // Then a program that passed runs once more: it reads `files`, but on the way to the device their numbers become these. Which ones they
  // are is known by their bits, so all numbers in all these files must differ, and be unlike any that a program has for another reason:
  // random, with many digits. It is right if a kernel makes the result that belongs to them, however the program ends.
  std::optional<AlteredFiles> altered = {};
  // Of the device's memory, in bytes; 0: as much as there usually is.
  std::size_t device_bytes = 0;
  bool counts_traffic = false;  // the record's counters tell how the work is spread over threads
  // For a device with too little memory: a program is right as well that ends with a status other than 0, or by abort(), and has looked at
  // the errors of all its calls. So it must not end where there is memory enough, as there is on a real GPU, whose memory nobody limits.
  bool may_report_failure = false;
};

// Runs the submission once in the open case. The record is valid until the next run.
const LaunchRecord& run_program(const ProgramTrial& trial);
// The same from within a Catch2 case, which ends there unless it passed.
const LaunchRecord& check(const ProgramTrial& trial);

}  // namespace tilelab::judge
