// The operands of a launcher as the broker gets and leaves them: files in a folder that the submission does not see.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "judge/programs/brokered_run.hpp"
#include "judge/trial.hpp"
#include "operands/operand.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::judge {

// What a buffer held before and after. `origins`: of each byte 0 (never set), 1 (the host, a copy or cudaMemset set it), 2 (a kernel).
struct OperandContent {
  std::vector<std::byte> before, after;
  std::vector<unsigned char> origins;
};

// The operands in the order of these names; empty: as they are. Throws std::runtime_error.
inline std::vector<const Operand*> in_order(const Trial& trial, const std::vector<std::string>& names) {
  std::vector<const Operand*> ordered;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(trial.operands, name, &Operand::name);
    if (found == trial.operands.end()) throw std::runtime_error("lab.toml names an argument '" + name + "' that the problem does not have");
    ordered.push_back(&*found);
  }
  if (names.empty())
    for (const Operand& one : trial.operands) ordered.push_back(&one);
  return ordered;
}

class OperandFiles {
 public:
  // In the order of the launcher's parameters. Throws std::runtime_error if the names are not those of the trial's operands.
  OperandFiles(const Trial& trial, const LauncherCall& call, std::string folder)
      : operands_(in_order(trial, call.arguments)), on_host_(call.on_host), folder_(std::move(folder)) {}

  // Writes what they hold before, and removes what an earlier run left. Returns "operands" of program.json. Throws std::runtime_error.
  nlohmann::json write() const {
    nlohmann::json list = nlohmann::json::array();
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      const Operand& operand = *operands_[i];
      nlohmann::json& one = list.emplace_back(nlohmann::json{{"name", operand.name}, {"kind", name_of(operand.kind)}});
      if (!operand.is_buffer()) {
        one["value"] = operand.number;
        continue;
      }
      for (const char* what : {"after", "origins"}) std::filesystem::remove(path(i, what));
      const std::vector<std::byte> before = content_before(operand, Fill::telling);
      one["memory"] = on_host_ ? "host" : "device";
      one["bytes"] = before.size();
      if (operand.is_for_host) one["for_host"] = true;
      one["keep"] = path(i, "after");
      one["marks"] = path(i, "origins");
      // Memory of the host always holds something. So there an output holds what tells that it was never written.
      if (operand.kind == Operand::Kind::output && !on_host_) continue;
      write_file(path(i, "before"), before.data(), before.size());
      one["content"] = path(i, "before");
    }
    return list;
  }
  // Throws std::runtime_error if a file is not as large as its operand.
  std::vector<OperandContent> read() const {
    std::vector<OperandContent> all;
    for (std::size_t i = 0; i < operands_.size(); ++i) {
      OperandContent& one = all.emplace_back();
      if (!operands_[i]->is_buffer()) continue;
      one.before = content_before(*operands_[i], Fill::telling);
      one.after = read_file<std::byte>(path(i, "after"), one.before.size());
      one.origins = read_file<unsigned char>(path(i, "origins"), one.before.size());
    }
    return all;
  }
  const std::vector<const Operand*>& operands() const { return operands_; }

 private:
  template <typename Byte>
  static std::vector<Byte> read_file(const std::string& path, std::size_t bytes) {
    std::ifstream file(path, std::ios::binary);
    std::vector<Byte> all(bytes);
    file.read(reinterpret_cast<char*>(all.data()), static_cast<std::streamsize>(bytes));
    if (!file || file.peek() != std::ifstream::traits_type::eof()) throw std::runtime_error(path + " is not as large as its operand");
    return all;
  }
  std::string path(std::size_t index, const char* what) const { return folder_ + "/operand-" + std::to_string(index) + "." + what; }

  std::vector<const Operand*> operands_;
  bool on_host_;
  std::string folder_;
};

// Whether every value of this element is right.
inline bool may_be_anything(const Operand& result, std::size_t element) {
  return !result.expectation.bounds.empty() && std::isinf(result.expectation.bounds[element]);
}

// What the result holds; unwritten_value() for elements that nobody wrote. Elements that may hold anything are as they should be.
inline std::vector<double> result_values(const Operand& result, const OperandContent& content) {
  std::vector<double> values = content_after(result, content.after, Fill::telling);
  const std::size_t bytes = bytes_of(result.type);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto first = content.origins.begin() + static_cast<std::ptrdiff_t>(i * bytes);
    if (may_be_anything(result, i))
      values[i] = result.expectation.values[i];
    else if (std::all_of(first, first + static_cast<std::ptrdiff_t>(bytes), [](unsigned char one) { return one == 0; }))
      values[i] = unwritten_value();
  }
  return values;
}

}  // namespace tilelab::judge
