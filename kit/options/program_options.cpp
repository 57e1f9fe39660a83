#include "options/program_options.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace tilelab {

using Kind = OptionRule::Kind;

ProgramOptions::ProgramOptions(int argc, const char* const* argv, const std::vector<OptionRule>& rules, std::string_view usage,
                               std::size_t most_words)
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
  if (words_.size() > most_words) refuse("'" + words_[most_words] + "' is one word too many");
  for (const OptionRule& rule : rules) {
    if (rule.kind == Kind::needed && !has(rule.name)) refuse("--" + rule.name + " is missing");
  }
}

std::vector<std::string> ProgramOptions::texts(const std::string& name) const {
  return has(name) ? given_.at(name) : std::vector<std::string>{};
}

std::uint64_t ProgramOptions::whole_number(const std::string& name, std::uint64_t most) const {
  const std::string& digits = text(name);
  const char* const end = digits.data() + digits.size();
  std::uint64_t value = 0;
  const auto [after, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc{} || after != end || value > most)
    refuse("--" + name + " takes a whole number from 0 to " + std::to_string(most) + ", not '" + digits + "'");
  return value;
}

int run_program(const char* name, int failure, const std::function<void()>& work) {
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

void ProgramOptions::refuse(const std::string& what) const { throw OptionError(program_ + ": " + what + "\n" + usage_); }

}  // namespace tilelab
