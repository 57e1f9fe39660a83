#include "program_judge/native_launch.hpp"

#include <cstdio>
#include <cstring>
#include <utility>

#include "judge/process/reply_check.hpp"
#include "operands/fill.hpp"

namespace tilelab::judge {
namespace {

constexpr std::size_t longest_error = 300;
constexpr unsigned char made_by_kernel = 2;

std::string place(std::size_t index) { return "tilelab_" + std::to_string(index); }

const char* role_of(Operand::Kind kind) {
  if (kind == Operand::Kind::input) return "input";
  return kind == Operand::Kind::output ? "output" : "inout";
}

std::vector<std::byte> bytes_in(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

}  // namespace

std::vector<DataFile> native_files(const std::vector<const Operand*>& operands, bool on_host) {
  std::vector<DataFile> files;
  std::string list;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand& one = *operands[i];
    if (!one.is_buffer()) {
      char number[64];
      std::snprintf(number, sizeof number, "scalar %.17g\n", one.number);
      list += number;
      continue;
    }
    files.push_back({place(i), content_before(one, Fill::telling)});
    list += std::string(on_host ? "host " : "device ") + role_of(one.kind) + " " + std::to_string(files.back().content.size()) + "\n";
  }
  files.push_back({"tilelab_operands", bytes_in(list)});
  return files;
}

NativeResults native_results(const std::vector<const Operand*>& operands, const DataFolder& folder) {
  NativeResults results;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    OperandContent& one = results.contents.emplace_back();
    if (!operands[i]->is_buffer()) continue;
    one.before = content_before(*operands[i], Fill::telling);
    auto found = folder.read(place(i) + ".out", one.before.size());
    if (!found.content || found.content->size() != one.before.size())
      return {{}, "The program left no whole result of " + operands[i]->name + "."};
    one.after = std::move(*found.content);
    one.origins.assign(one.after.size(), made_by_kernel);
  }
  return results;
}

std::string native_error(const DataFolder& folder) {
  const auto found = folder.read("tilelab_error", longest_error);
  if (!found.content) return {};
  return tame(std::string(reinterpret_cast<const char*>(found.content->data()), found.content->size()), longest_error);
}

}  // namespace tilelab::judge
