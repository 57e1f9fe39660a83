#include "cuda/cubin_image.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "protocol/json/json_text.hpp"

namespace tilelab::cuda {

std::vector<char> bytes_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error(file.string() + ": cannot be read");
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

CubinImage load_cubin_image(const std::filesystem::path& file) {
  const std::vector<char> text = bytes_of(file);
  try {
    const auto json = json_from(std::string_view(text.data(), text.size()));
    CubinImage image;
    image.driver = json.at("driver").get<std::string>();
    image.device = json.at("device").get<int>();
    image.functions = json.at("functions").get<std::vector<std::string>>();
    image.kernel = json.at("kernel").get<std::string>();
    image.ask_launch = json.at("ask_launch").get<std::string>();
    image.poison_shared = json.at("poison_shared").get<std::string>();
    image.cubin = bytes_of(file.parent_path() / json.at("cubin").get<std::string>());
    return image;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

}  // namespace tilelab::cuda
