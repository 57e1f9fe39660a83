// The command line of one of the kit's programs: long options, each with its value in the same word (--seed=1) or in the next one. It
// refuses a shortened name, an option given twice, a missing option, an extra word. Two programs read their own: the runner is linked with
// a submission, whose names replace those of the C library, and Catch2 reads a judge's options.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
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
  enum class Kind { needed, optional, repeated, without_value };
  std::string name;  // without its dashes
  Kind kind = Kind::needed;
};

// The main function of a program `name`: 0 where `work` is done, 2 where it cannot be done as asked, and `failure` where the program could
// not work. The reason is on standard error.
int run_program(const char* name, int failure, const std::function<void()>& work);

class ProgramOptions {
 public:
  // `usage`: how the program is called. `most_words`: how many words may follow the options, or a word "--" behind them. Throws
  // OptionError.
  ProgramOptions(int argc, const char* const* argv, const std::vector<OptionRule>& rules, std::string_view usage,
                 std::size_t most_words = 0);

  bool has(const std::string& name) const { return given_.contains(name); }
  // An option's value as it was given. If the option is optional, call it only if it was given.
  const std::string& text(const std::string& name) const { return given_.at(name).front(); }
  std::vector<std::string> texts(const std::string& name) const;  // those of a repeated one
  // The same as a whole number. Throws OptionError for anything else, also for a number that is too large.
  template <std::unsigned_integral Number>
  Number number(const std::string& name) const {
    return static_cast<Number>(whole_number(name, std::numeric_limits<Number>::max()));
  }
  const std::vector<std::string>& words() const { return words_; }

  // Throws OptionError: for errors that only the program itself can detect.
  [[noreturn]] void refuse(const std::string& what) const;

 private:
  std::uint64_t whole_number(const std::string& name, std::uint64_t most) const;

  std::string program_, usage_;
  std::map<std::string, std::vector<std::string>> given_;
  std::vector<std::string> words_;
};

}  // namespace tilelab
