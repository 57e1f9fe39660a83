#include "judge/task/judge_files.hpp"

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "protocol/json/json_text.hpp"

namespace tilelab::judge {

std::vector<std::string> read_runner_argv(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  auto argv = json_from(file).at("argv").get<std::vector<std::string>>();
  if (argv.empty()) throw std::runtime_error(path + ": argv is empty");
  return argv;
}

void write_report(const std::string& path, const std::string& text) {
  const std::string draft = path + ".new";
  std::ofstream file(draft, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + draft);
  std::filesystem::rename(draft, path);
}

}  // namespace tilelab::judge
