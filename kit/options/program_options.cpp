// Reads a command line with getopt_long, one option at a time. It writes its own error messages: the library would print at once,
// but an exception carries a message to the place where the program decides how it ends.
#include "options/program_options.hpp"

#include <getopt.h>

#include <algorithm>

namespace tilelab {
namespace {

using Kind = OptionRule::Kind;

std::vector<option> for_getopt(const std::vector<OptionRule>& rules) {
  std::vector<option> known;
  for (const OptionRule& rule : rules) {
    known.push_back({rule.name.c_str(), rule.kind == Kind::without_value ? no_argument : required_argument, nullptr, 0});
  }
  known.push_back({});  // getopt_long needs an empty last entry
  return known;
}

// "--seed" from "--seed=1".
std::string name_in(const std::string& word) { return word.substr(0, word.find('=')); }

}  // namespace

ProgramOptions::ProgramOptions(int argc, char** argv, const std::vector<OptionRule>& rules, std::string_view usage, std::size_t most_words)
    : program_(argv[0]), usage_(usage) {
  program_.erase(0, program_.rfind('/') + 1);
  const std::vector<option> known = for_getopt(rules);
  opterr = 0;
  optind = 0;  // starts from the beginning, even if another command line was read before
  for (;;) {
    const int at = std::max(optind, 1);
    int index = -1;
    const int found = getopt_long(argc, argv, "+:", known.data(), &index);  // +: options end at the first word that is none
    if (found == -1) break;
    const std::string word = argv[at];
    const bool takes_none = std::ranges::any_of(
        rules, [&](const OptionRule& rule) { return rule.kind == Kind::without_value && "--" + rule.name == name_in(word); });
    if (found == ':') refuse(word + " needs a value");
    if (found == '?' && takes_none) refuse(name_in(word) + " takes no value");
    if (found != 0 || name_in(word) != "--" + rules[static_cast<std::size_t>(index)].name) refuse("unknown option " + name_in(word));
    take(rules[static_cast<std::size_t>(index)], word, optarg);
  }
  words_.assign(argv + optind, argv + argc);
  if (words_.size() > most_words) refuse("'" + words_[most_words] + "' is one word too many");
  for (const OptionRule& rule : rules) {
    if (rule.kind == Kind::needed && !has(rule.name)) refuse("--" + rule.name + " is missing");
  }
}

void ProgramOptions::take(const OptionRule& rule, const std::string& word, const char* value) {
  if (!given_.emplace(rule.name, value == nullptr ? "" : value).second) refuse(name_in(word) + " is given twice");
}

void ProgramOptions::refuse(const std::string& what) const { throw OptionError(program_ + ": " + what + "\n" + usage_); }

}  // namespace tilelab
