// wbImport and wbExport: a file begins with its number of rows, or of rows and columns, in a line of its own. The numbers follow, with
// blanks or line ends between them. A program that asks for a file that is not there, or holds fewer numbers, ends with status 1.
#pragma once

#include <fstream>

#include "wb_types.h"

namespace wb_data {

// As many numbers as the first line of the file says, in memory that free() takes. A first line with one number is a column.
template <typename Number>
Number* read(const char* file, int& rows, int& columns) {
  std::ifstream in(file == nullptr ? "" : file);
  string first;
  std::getline(in, first);
  stringstream sizes(first);
  rows = columns = 0;
  sizes >> rows;
  if (!(sizes >> columns)) columns = 1;
  const size_t count = rows > 0 && columns > 0 ? static_cast<size_t>(rows) * static_cast<size_t>(columns) : 0;
  auto* numbers = static_cast<Number*>(malloc((count > 0 ? count : 1) * sizeof(Number)));
  for (size_t i = 0; i < count && numbers != nullptr; ++i) in >> numbers[i];
  if (!in || count == 0 || numbers == nullptr) {
    std::cerr << "wbImport: " << (file == nullptr ? "a missing file" : file) << " cannot be read" << std::endl;
    exit(1);
  }
  return numbers;
}

}  // namespace wb_data

// `type`: "Real" or "Integer".
inline void* wbImport(const char* file, int* rows, int* columns, const char* type) {
  int few_columns = 0;
  int& width = columns == nullptr ? few_columns : *columns;
  if (string(type) == "Integer") return wb_data::read<int>(file, *rows, width);
  return wb_data::read<float>(file, *rows, width);
}

inline void* wbImport(const char* file, int* rows, int* columns) { return wbImport(file, rows, columns, "Real"); }

// A vector, whether it lies in one column or in one row.
inline void* wbImport(const char* file, int* count, const char* type) {
  int rows = 0, columns = 0;
  void* numbers = wbImport(file, &rows, &columns, type);
  *count = rows * columns;
  return numbers;
}

inline void* wbImport(const char* file, int* count) { return wbImport(file, count, "Real"); }

template <typename Number>
inline void wbExport(const char* file, Number* numbers, int rows, int columns = 1) {
  std::ofstream out(file);
  out.precision(9);
  out << rows << " " << columns << "\n";
  for (int i = 0; i < rows * columns; ++i) out << +numbers[i] << "\n";
}
