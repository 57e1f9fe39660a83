// The command line of one of the kit's programs: long options, read by glibc's getopt_long. It also refuses what getopt_long
// accepts: a shortened name, an option given twice, a missing option, an extra word. Two programs read their own: `confine` is
// small and static, and the runner is linked with a submission, whose names replace those of the C library. Catch2 reads a
// judge's options.
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

// What is wrong with a command line; the next lines say how the program is called. A program that gets it ends with status 2.
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
  // `usage`: how the program is called. `most_words`: how many words may follow the options. Throws OptionError.
  ProgramOptions(int argc, char** argv, const std::vector<OptionRule>& rules, std::string_view usage, std::size_t most_words = 0);

  bool has(const std::string& name) const { return given_.contains(name); }
  // An option's value as it was given. If the option is optional, call it only if it was given.
  const std::string& text(const std::string& name) const { return given_.at(name); }
  // The same as a whole number. Throws OptionError for anything else, also for a number that is too large.
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

  // Throws OptionError: for errors that only the program itself can detect.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  void take(const OptionRule& rule, const std::string& word, const char* value);

  std::string program_, usage_;
  std::map<std::string, std::string> given_;
  std::vector<std::string> words_;
};

}  // namespace tilelab
