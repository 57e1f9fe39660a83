// The command line of one of the kit's programs: long options, each with its value in the same word (--seed=1) or in the next one. It
// refuses a shortened name, an option given twice, a missing option, an extra word. Two programs read their own: the runner is linked with
// a submission, whose names replace those of the C library, and Catch2 reads a judge's options.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstdio>
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
inline int run_program(const char* name, int failure, const std::function<void()>& work) {
  try {
    work();
    return 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", name, error.what());
    return failure;
  }
}

class ProgramOptions {
  using Kind = OptionRule::Kind;

 public:
  // `usage`: how the program is called. `most_words`: how many words may follow the options, or a word "--" behind them. Throws
  // OptionError.
  ProgramOptions(int argc, const char* const* argv, const std::vector<OptionRule>& rules, std::string_view usage,
                 std::size_t most_words = 0)
      : program_(argv[0]), usage_(usage) {
    program_.erase(0, program_.rfind('/') + 1);
    int at = 1;
    for (; at < argc && *argv[at] == '-'; ++at) {
      const std::string word = argv[at], name = word.substr(0, word.find('='));
      if (word == "--") break;
      const auto rule = std::ranges::find_if(rules, [&](const OptionRule& one) { return "--" + one.name == name; });
      if (rule == rules.end()) refuse("unknown option " + name);
      std::string value;
      if (rule->kind == Kind::without_value) {
        if (name != word) refuse(name + " takes no value");
      } else if (name != word) {
        value = word.substr(name.size() + 1);
      } else {
        if (++at == argc) refuse(word + " needs a value");
        value = argv[at];
      }
      if (rule->kind != Kind::repeated && has(rule->name)) refuse(name + " is given twice");
      given_[rule->name].push_back(std::move(value));
    }
    if (at < argc && std::string_view(argv[at]) == "--") ++at;
    words_.assign(argv + at, argv + argc);
    if (words_.size() > most_words) refuse("'" + words_[most_words] + "' is an unexpected argument");
    for (const OptionRule& rule : rules) {
      if (rule.kind == Kind::needed && !has(rule.name)) refuse("--" + rule.name + " is missing");
    }
  }

  bool has(const std::string& name) const { return given_.contains(name); }
  // An option's value as it was given. If the option is optional, call it only if it was given.
  const std::string& text(const std::string& name) const { return given_.at(name).front(); }
  // those of a repeated one
  std::vector<std::string> texts(const std::string& name) const { return has(name) ? given_.at(name) : std::vector<std::string>{}; }
  // The same as a whole number. Throws OptionError for anything else, also for a number that is too large.
  template <std::unsigned_integral Number>
  Number number(const std::string& name) const {
    return static_cast<Number>(whole_number(name, std::numeric_limits<Number>::max()));
  }
  const std::vector<std::string>& words() const { return words_; }

  // Throws OptionError: for errors that only the program itself can detect.
  [[noreturn]] void refuse(const std::string& what) const { throw OptionError(program_ + ": " + what + "\n" + usage_); }

 private:
  std::uint64_t whole_number(const std::string& name, std::uint64_t most) const {
    const std::string& digits = text(name);
    const char* const end = digits.data() + digits.size();
    std::uint64_t value = 0;
    const auto [after, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || after != end || value > most)
      refuse("--" + name + " takes a whole number from 0 to " + std::to_string(most) + ", not '" + digits + "'");
    return value;
  }

  std::string program_, usage_;
  std::map<std::string, std::vector<std::string>> given_;
  std::vector<std::string> words_;
};

}  // namespace tilelab
