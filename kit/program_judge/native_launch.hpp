// A launcher on a real GPU: its operands as files in the folder in which it runs. kit/host_api/native_launcher.hpp is the other side. The
// program may write what it likes there, so sizes and kinds of files are checked, and where a result came from is not known here.
#pragma once

#include <string>
#include <vector>

#include "judge/trial.hpp"
#include "program_judge/conducted_run.hpp"
#include "program_judge/data_folder.hpp"
#include "program_judge/operand_files.hpp"

namespace tilelab::judge {

// What lies in the folder before the run.
std::vector<DataFile> native_files(const std::vector<const Operand*>& operands, bool on_host);

struct NativeResults {
  std::vector<OperandContent> contents;  // all bytes count as written by a kernel
  std::string trouble;                   // why there are none
};
NativeResults native_results(const std::vector<const Operand*>& operands, const DataFolder& folder);

// What CUDA said where the run failed; empty: nothing.
std::string native_error(const DataFolder& folder);

}  // namespace tilelab::judge
