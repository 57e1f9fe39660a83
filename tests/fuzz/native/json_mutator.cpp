// libFuzzer's own mutations know bytes, and nearly all of them make a message that no parser takes. This mutator changes a message as
// a tree: a value replaced, removed, repeated or copied to another place. One time in eight, and for what is no JSON, libFuzzer's
// own are used.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

namespace {

using nlohmann::json;
using Chance = std::minstd_rand;

std::size_t below(Chance& chance, std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(chance); }

json odd_number(Chance& chance) {
  const json numbers{0, 1, -1, 2, 63, 64, 65, 255, 256, 1023, 1024, 1025, 65536, 0.5, -0.0, 1e300};
  switch (below(chance, 5)) {
    case 0: return std::numeric_limits<std::uint64_t>::max() >> below(chance, 64);
    case 1: return std::numeric_limits<std::int64_t>::min() >> below(chance, 64);
    case 2: return (std::uint64_t{1} << below(chance, 64)) + below(chance, 2);
    default: return numbers[below(chance, numbers.size())];
  }
}

json odd_text(Chance& chance) {
  const json texts{"",     "a",    std::string(1, '\0'), "\n",      "\x1b[2J",        "\u202e", "\ufffd", "race",
                   "note", "pass", "completed",          "timeout", "internal-error", "input"};
  return below(chance, 8) == 0 ? json(std::string(below(chance, 3000), 'A')) : texts[below(chance, texts.size())];
}

json odd_value(const json& before, Chance& chance) {
  if (below(chance, 4) != 0) {  // of the same type: a reader may take it
    if (before.is_number()) return odd_number(chance);
    if (before.is_string()) return odd_text(chance);
    if (before.is_boolean()) return !before.get<bool>();
  }
  const json others{nullptr, true, json::array(), json::object(), "", 0, json::array({json::array()}), 1.5};
  return others[below(chance, others.size())];
}

// Every container, and where it holds something.
void collect(json& tree, std::vector<json*>& holders) {
  if (!tree.is_structured()) return;
  if (!tree.empty()) holders.push_back(&tree);
  for (json& value : tree) collect(value, holders);
}

void change(json& tree, Chance& chance) {
  std::vector<json*> holders;
  collect(tree, holders);
  if (holders.empty()) {
    tree = odd_value(tree, chance);
    return;
  }
  json& holder = *holders[below(chance, holders.size())];
  auto place = holder.begin();
  std::advance(place, below(chance, holder.size()));
  const json copy = *place;
  switch (below(chance, 10)) {
    case 0: holder.erase(place); break;
    case 1:
      if (holder.is_array()) holder.insert(holder.end(), below(chance, 80), copy);
      break;
    case 2: {
      const json other = *holders[below(chance, holders.size())];  // a copy: it may contain the place
      *place = other;
      break;
    }
    case 3:
      if (copy.is_number_unsigned()) *place = copy.get<std::uint64_t>() + below(chance, 5) - 2;
      break;
    default: *place = odd_value(copy, chance);
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  Chance chance(seed);
  if (below(chance, 8) == 0) return LLVMFuzzerMutate(data, size, most);
  json tree = json::parse(data, data + size, nullptr, false);
  if (tree.is_discarded()) return LLVMFuzzerMutate(data, size, most);
  for (std::size_t times = 1 + below(chance, 3); times > 0; --times) change(tree, chance);
  const std::string text = tree.dump(-1, ' ', false, json::error_handler_t::replace);
  if (text.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::memcpy(data, text.data(), text.size());
  return text.size();
}
