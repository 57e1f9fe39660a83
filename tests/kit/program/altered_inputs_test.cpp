// Numbers that become others on their way to the device, and again what they were on their way back.
#include "program/provenance/altered_inputs.hpp"

#include <unistd.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>

using namespace tilelab::program;

namespace {

struct Pairs {
  std::filesystem::path base = std::filesystem::temp_directory_path() / ("tilelab-altered-" + std::to_string(getpid()));
  Pairs() { std::filesystem::create_directory(base); }
  ~Pairs() { std::filesystem::remove_all(base); }

  template <typename Number>
  AlterationDescription of(const std::vector<Number>& from, const std::vector<Number>& to) {
    return {write(from), write(to), sizeof(Number)};
  }

 private:
  int files_ = 0;
  template <typename Number>
  std::string write(const std::vector<Number>& numbers) {
    std::string path = base / std::to_string(files_++);
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), static_cast<std::streamsize>(numbers.size() * sizeof(Number)));
    return path;
  }
};

using Floats = std::array<float, 4>;

char* bytes(Floats& numbers) { return reinterpret_cast<char*>(numbers.data()); }

}  // namespace

TEST_CASE("the device gets the replacements", "[altered-inputs]") {
  Pairs pairs;
  const AlteredInputs altered({pairs.of<float>({1.25F, 2.5F}, {10.25F, 20.5F}), pairs.of<float>({3.75F}, {30.75F})});
  Floats numbers{3.75F, 1.25F, 7, 2.5F};
  altered.to_device(bytes(numbers), 0, sizeof numbers, sizeof numbers);
  CHECK(numbers == Floats{30.75F, 10.25F, 7, 20.5F});
}

TEST_CASE("a number that comes in two pieces is replaced when it is whole", "[altered-inputs]") {
  Pairs pairs;
  const AlteredInputs altered({pairs.of<float>({1.3F}, {10.7F})});
  const float sent = 1.3F;
  Floats numbers{};
  std::memcpy(bytes(numbers) + 4, &sent, 2);
  altered.to_device(bytes(numbers), 4, 2, sizeof numbers);
  CHECK(numbers[1] != 10.7F);
  std::memcpy(bytes(numbers) + 6, reinterpret_cast<const char*>(&sent) + 2, 2);
  altered.to_device(bytes(numbers), 6, 2, sizeof numbers);
  CHECK(numbers[1] == 10.7F);
}

TEST_CASE("only numbers that lie where numbers lie are replaced", "[altered-inputs]") {
  Pairs pairs;
  const AlteredInputs altered({pairs.of<float>({1.3F}, {10.7F}), pairs.of<double>({1.3}, {10.7})});
  const float sent = 1.3F;
  Floats numbers{};
  std::memcpy(bytes(numbers) + 2, &sent, 4);
  const Floats before = numbers;
  altered.to_device(bytes(numbers), 0, sizeof numbers, sizeof numbers);
  CHECK(numbers == before);
  std::array<double, 2> wide{1.3, -1.3};
  altered.to_device(reinterpret_cast<char*>(wide.data()), 0, sizeof wide, sizeof wide);
  CHECK(wide == std::array<double, 2>{10.7, -1.3});
}

TEST_CASE("numbers that cannot be told apart, or files that do not fit, are refused", "[altered-inputs]") {
  Pairs pairs;
  CHECK_THROWS_AS(AlteredInputs({pairs.of<float>({1, 1}, {2, 3})}), std::runtime_error);
  CHECK_THROWS_AS(AlteredInputs({pairs.of<float>({1, 2}, {3})}), std::runtime_error);
  CHECK_THROWS_AS(AlteredInputs({{"/nowhere", "/nowhere", 4}}), std::runtime_error);
}
