// Reads image.json and answers questions about addresses. A damaged file is refused.
#include "runner/submission/image.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <nlohmann/json.hpp>

using namespace tilelab;

namespace {

constexpr auto guarded_frame =
    R"([{"first": 100, "end": 120, "memory": [[-300, -220]], "unset": [[-208, -200]], "zones": [[-200, -57, 0, -1]], "variables":
         [{"name": "b", "begin": -208, "bytes": 8, "element": "int", "element_bytes": 4, "dimensions": [2]}]}])";

nlohmann::json good() {
  return {{"files", {"a.cu", "b.cuh"}},
          {"subscripts", {{2, 5, "As", {9, 12}}}},
          {"block_syncs", {1}},
          {"warp_syncs", nlohmann::json::array()},
          {"lines", {{100, 1, 0}, {110, 2, 1}, {130, 3, 0}}},
          {"functions", {{100, 120, "k()"}, {130, 140, "f<int>()"}}},
          {"header_code", {{200, 210}}},
          {"loops", {{120, 140}}},
          {"barrier_calls", nlohmann::json::parse("[[112, [105, 109]]]")},
          {"returns", nlohmann::json::parse("[[118, [112], [[114, [112]]]]]")},
          {"shared",
           {{{"name", "As"},
             {"offset", 64},
             {"bytes", 1024},
             {"element", "float"},
             {"element_bytes", 4},
             {"dimensions", {16, 16}},
             {"dynamic", false}}}},
          {"guards", {{1088, 8}}},
          {"frames", nlohmann::json::parse(guarded_frame)},
          {"variables",
           {{{"name", "mask"},
             {"address", 4096},
             {"bytes", 36},
             {"element", "float"},
             {"element_bytes", 4},
             {"dimensions", {3, 3}},
             {"room", 4352},
             {"read_only", true}}}},
          {"dynamic_offset", 2048},
          {"static_shared_bytes", 1024},
          {"targets", {130, 100}},
          {"library_targets", nlohmann::json::array({"cosf"})},
          {"argument_bytes", 64},
          {"launches_children", true},
          {"kernel", 100},
          {"launch", 130}};
}

// A temporary file, removed at the end.
class ImageFile {
 public:
  explicit ImageFile(const std::string& text) : folder_((std::filesystem::temp_directory_path() / "image-XXXXXX").string()) {
    REQUIRE(mkdtemp(folder_.data()) != nullptr);
    std::ofstream(path()) << text;
  }
  ~ImageFile() { std::filesystem::remove_all(folder_); }
  ImageFile(const ImageFile&) = delete;
  ImageFile& operator=(const ImageFile&) = delete;
  std::filesystem::path path() const { return std::filesystem::path(folder_) / "image.json"; }

 private:
  std::string folder_;
};

Image loaded(const nlohmann::json& json) { return load_image(ImageFile(json.dump()).path()); }

}  // namespace

TEST_CASE("an image is read as it was written", "[image]") {
  const Image image = loaded(good());
  CHECK(image.files == std::vector<std::string>{"a.cu", "b.cuh"});
  REQUIRE(image.subscripts.size() == 1);
  CHECK(image.subscripts[0].array == "As");
  CHECK(image.block_syncs == std::vector{1});
  CHECK(image.kernel == 100);
  CHECK(image.launch == 130);
  REQUIRE(image.frame_guards.frames().size() == 1);
  CHECK(image.frame_guards.frames()[0].variables[0].name == "b");
  CHECK(image.frame_guards.frames()[0].look(-198, 4).zone != nullptr);
  CHECK(image.dynamic_offset == 2048);
  CHECK(image.static_shared_bytes == 1024);
  REQUIRE(image.shared.size() == 1);
  CHECK(image.shared[0].name == "As");
  CHECK(image.shared[0].space == simt::Space::shared);
  CHECK(image.shared[0].base == 64);
  CHECK(image.shared[0].dimensions == std::vector<std::size_t>{16, 16});
  REQUIRE(image.guards.size() == 1);
  CHECK(image.guards[0].first == 1088);
  CHECK(image.guards[0].end == 1096);
  REQUIRE(image.variables.size() == 1);
  CHECK(image.variables[0].name == "mask");
  CHECK(image.variables[0].space == simt::Space::module);
  CHECK(image.variables[0].base == 4096);
  CHECK(image.variables[0].room == 4352);
  CHECK(image.variables[0].role == simt::BufferRole::input);
  CHECK(image.variables[0].dimensions == std::vector<std::size_t>{3, 3});
  REQUIRE(image.header_code.size() == 1);
  CHECK(image.header_code[0].contains(209));
  CHECK_FALSE(image.header_code[0].contains(210));
  REQUIRE(image.barrier_calls.size() == 1);
  CHECK(image.barrier_calls[0].pc == 112);
  CHECK(image.barrier_calls[0].conditions == std::vector<std::uintptr_t>{105, 109});
  REQUIRE(image.returns.size() == 1);
  CHECK(image.returns[0].pc == 118);
  CHECK(image.returns[0].behind == std::vector<std::uintptr_t>{112});
  REQUIRE(image.returns[0].around.size() == 1);
  CHECK(image.returns[0].around[0].conditions == std::vector<std::uintptr_t>{112});
}

TEST_CASE("a return address belongs to the instruction before it", "[image]") {
  const Image image = loaded(good());
  CHECK(image.line_at(100) == nullptr);  // the instruction before line 1's first
  REQUIRE(image.line_at(101) != nullptr);
  CHECK(image.line_at(101)->line == 1);
  CHECK(image.line_at(110)->line == 1);  // a call that ends line 1 returns to line 2's first instruction
  CHECK(image.line_at(111)->line == 2);
  CHECK(image.line_at(111)->file == 1);
  CHECK(image.line_at(100'000)->line == 3);
  CHECK(image.function_at(100) == nullptr);
  CHECK(image.function_at(101)->name == "k()");
  CHECK(image.function_at(120)->name == "k()");
  CHECK(image.function_at(121) == nullptr);
  CHECK(image.function_at(140)->name == "f<int>()");
}

TEST_CASE("an image without lines answers none", "[image]") {
  auto json = good();
  json["lines"] = nlohmann::json::array();
  CHECK(loaded(json).line_at(105) == nullptr);
}

TEST_CASE("a missing field is refused, whichever it is", "[image]") {
  const auto whole = good();
  for (const auto& [field, value] : whole.items()) {
    auto json = good();
    json.erase(field);
    CAPTURE(field);
    CHECK_THROWS_AS(loaded(json), std::exception);
  }
  for (const auto& [field, value] : whole["shared"][0].items()) {
    auto json = good();
    json["shared"][0].erase(field);
    CAPTURE(field);
    CHECK_THROWS_AS(loaded(json), std::exception);
  }
}

TEST_CASE("a field of another type is refused", "[image]") {
  const std::string field =
      GENERATE("files", "lines", "functions", "header_code", "loops", "barrier_calls", "returns", "shared", "guards", "frames", "variables",
               "kernel", "subscripts", "block_syncs", "warp_syncs", "argument_bytes", "launches_children", "targets", "library_targets");
  auto json = good();
  json[field] = "text";
  CAPTURE(field);
  CHECK_THROWS_AS(loaded(json), std::exception);
}

TEST_CASE("a number that is no whole number of its range is refused, wherever it stands", "[image]") {
  const nlohmann::json bad = GENERATE(nlohmann::json(1e300), nlohmann::json(-1), nlohmann::json(0.5), nlohmann::json(true));
  const std::string place =
      GENERATE("/kernel", "/dynamic_offset", "/lines/0/0", "/lines/1/2", "/functions/0/1", "/header_code/0/0", "/loops/0/1",
               "/barrier_calls/0/1/1", "/returns/0/0", "/returns/0/2/0/0", "/shared/0/bytes", "/shared/0/dimensions/1", "/guards/0/1",
               "/frames/0/first", "/frames/0/variables/0/bytes", "/variables/0/address");
  auto json = good();
  json[nlohmann::json::json_pointer(place)] = bad;
  CAPTURE(place, bad);
  CHECK_THROWS_AS(loaded(json), std::exception);
}

TEST_CASE("a guard next to a variable that is not there is refused", "[image]") {
  const int index = GENERATE(1, -2);
  auto json = good();
  json["frames"][0]["zones"][0][3] = index;
  CHECK_THROWS_AS(loaded(json), std::exception);
}

TEST_CASE("a short row, no JSON, half a file, and no file are refused", "[image]") {
  auto json = good();
  json["lines"][1] = {110, 2};
  CHECK_THROWS_AS(loaded(json), std::exception);
  CHECK_THROWS_AS(load_image(ImageFile("").path()), std::exception);
  CHECK_THROWS_AS(load_image(ImageFile(good().dump().substr(0, 200)).path()), std::exception);
  CHECK_THROWS_AS(load_image("/nonexistent/image.json"), std::runtime_error);
}
