#include "cuda/contest_image.hpp"

#include <stdexcept>
#include <string_view>

#include <nlohmann/json.hpp>

#include "cuda/cubin_image.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/timing_message.hpp"

namespace tilelab::cuda {
namespace {

constexpr const char *sgemm = "cublasSgemm", *sgemm_tf32 = "cublasSgemm with TF32";

}  // namespace

ContestImage load_contest_image(const std::filesystem::path& file) {
  const std::vector<char> text = bytes_of(file);
  try {
    const auto json = json_from(std::string_view(text.data(), text.size()));
    ContestImage image;
    image.driver = json.at("driver").get<std::string>();
    image.device = json.at("device").get<int>();
    image.stage = bytes_of(file.parent_path() / json.at("stage").get<std::string>());
    for (const auto& one : json.at("contestants")) {
      if (one.contains("library")) {
        const auto routine = one.at("routine").get<std::string>();
        if (routine != sgemm && routine != sgemm_tf32) {
          throw std::runtime_error(file.string() + ": the only routines are " + sgemm + " and " + sgemm_tf32);
        }
        image.contestants.push_back({.cubin = {},
                                     .functions = {},
                                     .kernel = {},
                                     .ask_launch = {},
                                     .library = one.at("library"),
                                     .arithmetic = routine == sgemm ? Arithmetic::fp32 : Arithmetic::tf32,
                                     .alone = false});
        continue;
      }
      image.contestants.push_back({.cubin = bytes_of(file.parent_path() / one.at("cubin").get<std::string>()),
                                   .functions = one.at("functions").get<std::vector<std::string>>(),
                                   .kernel = one.at("kernel").get<std::string>(),
                                   .ask_launch = one.at("ask_launch").get<std::string>(),
                                   .library = {},
                                   .arithmetic = Arithmetic::fp32,
                                   .alone = one.at("alone").get<bool>()});
    }
    if (image.contestants.empty() || image.contestants.size() > protocol::most_contestants) {
      throw std::runtime_error(file.string() + ": a contest has 1 to " + std::to_string(protocol::most_contestants) + " contestants");
    }
    return image;
  } catch (const nlohmann::json::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

}  // namespace tilelab::cuda
