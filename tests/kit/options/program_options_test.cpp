// Which command lines a program of the kit accepts, and the sentence with which it refuses the others.
#include "options/program_options.hpp"

#include <string>
#include <vector>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace tilelab;

namespace {

constexpr OptionRule::Kind optional = OptionRule::Kind::optional, without_value = OptionRule::Kind::without_value;
const std::vector<OptionRule> rules{{"problem"}, {"seed", optional}, {"probe", without_value}};

ProgramOptions read(std::vector<std::string> words, std::size_t most_words = 0) {
  words.insert(words.begin(), "/somewhere/bin/program");
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return {static_cast<int>(words.size()), argv.data(), rules, "usage: program --problem NAME", most_words};
}

std::string refusal(const std::vector<std::string>& words) {
  try {
    read(words);
  } catch (const OptionError& error) {
    return error.what();
  }
  return "nothing was refused";
}

}  // namespace

TEST_CASE("takes an option's value from the same word or the next one", "[options]") {
  const ProgramOptions options = read({"--problem=matmul", "--seed", "7"});
  CHECK(options.text("problem") == "matmul");
  CHECK(options.number<unsigned>("seed") == 7);
  CHECK_FALSE(options.has("probe"));
}

TEST_CASE("takes a value that looks like an option, and an empty one", "[options]") {
  CHECK(read({"--problem", "--seed"}).text("problem") == "--seed");
  CHECK(read({"--problem", ""}).text("problem").empty());
}

TEST_CASE("an option without a value leaves the word after it alone", "[options]") {
  const ProgramOptions options = read({"--problem", "p", "--probe", "libcuda.so.1"}, 1);
  CHECK(options.has("probe"));
  CHECK(options.words() == std::vector<std::string>{"libcuda.so.1"});
}

TEST_CASE("reads one command line after another", "[options]") {
  read({"--problem", "one", "--seed", "1"});
  CHECK(read({"--problem", "two"}).text("problem") == "two");
}

TEST_CASE("what is wrong is said in a sentence, and then how the program is called", "[options]") {
  struct Wrong {
    std::vector<std::string> words;
    std::string said;
  };
  const auto [words, said] = GENERATE(values<Wrong>({
      {{"--problem", "p", "--rounds", "3"}, "unknown option --rounds"},
      {{"--problem", "p", "--rounds=3"}, "unknown option --rounds"},
      {{"--prob", "p"}, "unknown option --prob"},
      {{"--problem", "p", "--pro"}, "unknown option --pro"},
      {{"-p", "p"}, "unknown option -p"},
      {{"--seed", "1"}, "--problem is missing"},
      {{}, "--problem is missing"},
      {{"--problem"}, "--problem needs a value"},
      {{"--problem", "p", "--problem=q"}, "--problem is given twice"},
      {{"--problem", "p", "--probe=yes"}, "--probe takes no value"},
      {{"--problem", "p", "q"}, "'q' is an unexpected argument"},
      {{"q", "--problem", "p"}, "'q' is an unexpected argument"},
  }));
  CHECK(refusal(words) == "program: " + said + "\nusage: program --problem NAME");
}

TEST_CASE("a number is a whole number that fits", "[options]") {
  const std::string text = GENERATE("", "x", "12abc", " 12", "+1", "-1", "1.5", "4294967296");
  const ProgramOptions options = read({"--problem", "p", "--seed", text});
  CHECK_THROWS_AS(options.number<unsigned>("seed"), OptionError);
}

TEST_CASE("the largest number fits", "[options]") {
  CHECK(read({"--problem", "p", "--seed", "18446744073709551615"}).number<std::uint64_t>("seed") == ~std::uint64_t{0});
}
