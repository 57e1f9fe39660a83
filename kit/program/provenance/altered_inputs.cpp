#include "program/provenance/altered_inputs.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <ranges>
#include <stdexcept>
#include <string>

namespace tilelab::program {
namespace {

constexpr std::size_t widest = 8;  // bytes of a number

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint64_t bits_at(const char* place, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, place, bytes);
  return bits;
}

// `bytes` begins at position `first`. A number that is not whole in it stays.
void replace(const std::map<std::size_t, std::unordered_map<std::uint64_t, std::uint64_t>>& all, char* bytes, std::size_t first,
             std::size_t count) {
  for (const auto& [width, numbers] : all | std::views::reverse) {
    for (std::size_t at = (width - first % width) % width; at + width <= count; at += width) {
      const auto found = numbers.find(bits_at(bytes + at, width));
      if (found != numbers.end()) std::memcpy(bytes + at, &found->second, width);
    }
  }
}

}  // namespace

AlteredInputs::AlteredInputs(const std::vector<AlterationDescription>& pairs) {
  for (const AlterationDescription& pair : pairs) {
    const std::string from = content_of(pair.from), to = content_of(pair.to);
    const std::size_t width = pair.element_bytes;
    if (width == 0 || width > widest || widest % width != 0) throw std::runtime_error("numbers of an impossible size are to be replaced");
    if (from.size() != to.size() || from.size() % width != 0)
      throw std::runtime_error(pair.to + " does not hold one number for each of " + pair.from);
    for (std::size_t at = 0; at < from.size(); at += width) {
      const std::uint64_t old = bits_at(from.data() + at, width), now = bits_at(to.data() + at, width);
      if (!to_device_[width].try_emplace(old, now).second) throw std::runtime_error("a number that is to be replaced is there twice");
    }
  }
}

void AlteredInputs::to_device(char* memory, std::size_t first, std::size_t count, std::size_t size) const {
  if (to_device_.empty()) return;
  const std::size_t begin = first - first % widest;  // a copy may bring the rest of a number
  const std::size_t end = std::min(size, (first + count + widest - 1) / widest * widest);
  replace(to_device_, memory + begin, begin, end - begin);
}

}  // namespace tilelab::program
