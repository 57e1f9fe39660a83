// The operands of a launcher as the broker gets and leaves them: files in a folder that the submission does not see.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/programs/brokered_run.hpp"
#include "judge/trial.hpp"
#include "operands/operand.hpp"

namespace tilelab::judge {

// What a buffer held before and after. `origins`: of each byte 0 (never set), 1 (the host, a copy or cudaMemset set it), 2 (a kernel).
struct OperandContent {
  std::vector<std::byte> before, after;
  std::vector<unsigned char> origins;
};

class OperandFiles {
 public:
  // In the order of the launcher's parameters. Throws std::runtime_error if the names are not those of the trial's operands.
  OperandFiles(const Trial& trial, const LauncherCall& call, std::string folder);

  // Writes what they hold before, and removes what an earlier run left. Returns "operands" of program.json. Throws std::runtime_error.
  nlohmann::json write() const;
  // Throws std::runtime_error if a file is not as large as its operand.
  std::vector<OperandContent> read() const;
  const std::vector<const Operand*>& operands() const { return operands_; }

 private:
  std::string path(std::size_t index, const char* what) const { return folder_ + "/operand-" + std::to_string(index) + "." + what; }

  std::vector<const Operand*> operands_;
  bool on_host_;
  std::string folder_;
};

// The operands in the order of these names; empty: as they are. Throws std::runtime_error.
std::vector<const Operand*> in_order(const Trial& trial, const std::vector<std::string>& names);

// Whether every value of this element is right.
bool may_be_anything(const Operand& result, std::size_t element);

// What the result holds; unwritten_value() for elements that nobody wrote. Elements that may hold anything are as they should be.
std::vector<double> result_values(const Operand& result, const OperandContent& content);

}  // namespace tilelab::judge
