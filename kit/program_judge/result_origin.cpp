#include "program_judge/result_origin.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "judge/comparison.hpp"

namespace tilelab::judge {
namespace {

constexpr std::size_t window = 16, least_elements = 4, least_values = 4;
constexpr std::size_t most_joined = 64;            // bytes of a piece
constexpr std::uint64_t most_steps = 400'000'000;  // of one search

std::vector<double> elements_of(ElementType type, std::span<const std::byte> bytes, std::size_t skipped) {
  if (skipped >= bytes.size()) return {};
  const std::size_t whole = (bytes.size() - skipped) / bytes_of(type) * bytes_of(type);
  return decoded(type, bytes.subspan(skipped, whole));
}

// Looks for the result's elements [first, first + count) in a row.
class Search {
 public:
  explicit Search(const Expectation& right) : right_(right) {}

  bool finds(const std::vector<double>& in, std::size_t first, std::size_t count) {
    for (std::size_t start = 0; start + count <= in.size() && steps_ < most_steps; ++start) {
      std::size_t same = 0;
      while (same < count && is_right(in[start + same], right_, first + same)) ++same;
      steps_ += same + 1;
      if (same == count) return true;
    }
    return false;
  }

 private:
  const Expectation& right_;
  std::uint64_t steps_ = 0;
};

// The host's memory as copies from the device left it: pieces without a gap, by their first address. A later copy covers an earlier one.
std::vector<std::vector<std::byte>> pieces_of(const std::vector<CopiedBytes>& copies) {
  std::map<std::uint64_t, std::vector<std::byte>> pieces;
  for (const CopiedBytes& one : copies) {
    if (one.to_the_device || one.bytes.empty()) continue;
    const std::uint64_t first = one.address, end = first + one.bytes.size();
    std::vector<std::byte> merged = one.bytes;
    std::uint64_t begin = first;
    auto at = pieces.upper_bound(end);
    while (at != pieces.begin()) {
      const auto before = std::prev(at);
      const std::uint64_t other = before->first, other_end = other + before->second.size();
      if (other_end < begin) break;
      if (other < begin) {
        merged.insert(merged.begin(), before->second.begin(), before->second.begin() + static_cast<std::ptrdiff_t>(begin - other));
        begin = other;
      }
      const std::uint64_t merged_end = begin + merged.size();
      if (other_end > merged_end)
        merged.insert(merged.end(), before->second.end() - static_cast<std::ptrdiff_t>(other_end - merged_end), before->second.end());
      at = pieces.erase(before);
    }
    pieces[begin] = std::move(merged);
  }
  std::vector<std::vector<std::byte>> found;
  for (auto& [address, bytes] : pieces) found.push_back(std::move(bytes));
  return found;
}

}  // namespace

bool came_from_a_kernel(const Expectation& right, ElementType type, const std::vector<CopiedBytes>& copies) {
  Search search(right);
  std::vector<std::vector<std::byte>> places = pieces_of(copies);
  for (const CopiedBytes& one : copies)  // also as it was before a later copy covered it
    if (!one.to_the_device) places.push_back(one.bytes);
  return std::any_of(places.begin(), places.end(), [&](const auto& bytes) {
    for (std::size_t skipped = 0; skipped < bytes_of(type); ++skipped)
      if (search.finds(elements_of(type, bytes, skipped), 0, right.values.size())) return true;
    return false;
  });
}

namespace {

// What the host sent, and the number of copies until then. Small pieces that the same instruction sent one after the other are one.
struct Sent {
  std::uint64_t at = 0;
  std::vector<std::byte> bytes;
  std::size_t before = 0;
};

std::vector<Sent> all_sent(const std::vector<CopiedBytes>& copies) {
  std::vector<Sent> all;
  std::map<std::pair<std::uint64_t, std::size_t>, std::size_t> joined;  // by place and size
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const CopiedBytes& one = copies[i];
    if (!one.to_the_device) continue;
    if (one.bytes.size() <= most_joined) {
      const auto [known, is_new] = joined.try_emplace({one.at, one.bytes.size()}, all.size());
      if (!is_new) {
        auto& bytes = all[known->second].bytes;
        bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
        continue;
      }
    }
    all.push_back({one.at, one.bytes, i});
  }
  return all;
}

}  // namespace

std::optional<std::uint64_t> sent_by_the_host(const Expectation& right, ElementType type, const std::vector<CopiedBytes>& copies,
                                              const std::vector<KnownValues>& known) {
  const std::size_t size = right.values.size();
  if (size < least_elements || std::set(right.values.begin(), right.values.end()).size() < least_values) return std::nullopt;
  const std::size_t count = std::min(size, window);
  Search search(right);
  const auto is_given = [&](std::size_t first) {
    return std::ranges::any_of(known,
                               [&](const KnownValues& one) { return search.finds(elements_of(one.type, one.bytes, 0), first, count); });
  };
  const auto was_received = [&](std::size_t first, std::size_t before) {
    return std::any_of(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(before), [&](const CopiedBytes& one) {
      return !one.to_the_device && search.finds(elements_of(type, one.bytes, 0), first, count);
    });
  };
  for (const Sent& one : all_sent(copies)) {
    if (one.bytes.size() < count * bytes_of(type)) continue;
    std::vector<std::vector<double>> sent;  // numbers may begin at any byte
    for (std::size_t skipped = 0; skipped < bytes_of(type); ++skipped) sent.push_back(elements_of(type, one.bytes, skipped));
    const auto holds = [&](std::size_t first) {
      return std::ranges::any_of(sent, [&](const auto& numbers) { return search.finds(numbers, first, count); });
    };
    for (std::size_t first = 0; first + count <= size; first += count) {
      const auto end = right.values.begin() + static_cast<std::ptrdiff_t>(first + count);
      if (std::set(right.values.begin() + static_cast<std::ptrdiff_t>(first), end).size() < least_values) continue;
      if (holds(first) && !is_given(first) && !was_received(first, one.before)) return one.at;
    }
  }
  return std::nullopt;
}

}  // namespace tilelab::judge
