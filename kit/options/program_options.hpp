// The command line of one of the kit's programs: long options, read by glibc's getopt_long. What that lets pass is refused as
// well: a shortened name, an option given twice, one that is missing, a word too many.
// Two programs read their own: `confine` is small and static, and the runner is linked with a submission, whose names come
// before those of the C library. A judge's options are Catch2's.
#pragma once

#include <charconv>
#include <concepts>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tilelab {

// What is wrong with a command line, and on the next lines how it is to be. A program that throws it ends with status 2.
struct OptionError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

struct OptionRule {
  enum class Kind { needed, optional, without_value };
  std::string name;  // without its dashes
  Kind kind = Kind::needed;
};

class ProgramOptions {
 public:
  // `usage`: how the program is called. `most_words`: words that may stand after the options. Throws OptionError.
  ProgramOptions(int argc, char** argv, const std::vector<OptionRule>& rules, std::string_view usage, std::size_t most_words = 0);

  bool has(const std::string& name) const { return given_.contains(name); }
  // An option's value as it was given; that of an optional one only where it is there.
  const std::string& text(const std::string& name) const { return given_.at(name); }
  // The same as a whole number. Throws OptionError on anything else, also on a number that is too large.
  template <std::unsigned_integral Number>
  Number number(const std::string& name) const {
    const std::string& digits = text(name);
    const char* const end = digits.data() + digits.size();
    Number value = 0;
    const auto [after, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || after != end)
      refuse("--" + name + " takes a whole number from 0 to " + std::to_string(std::numeric_limits<Number>::max()) + ", not '" + digits +
             "'");
    return value;
  }
  const std::vector<std::string>& words() const { return words_; }

  // Throws OptionError: for what only the program itself can know to be wrong.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  void take(const OptionRule& rule, const std::string& word, const char* value);

  std::string program_, usage_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> words_;
};

}  // namespace tilelab
