#include "judge/programs/result_origin.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "judge/comparison.hpp"

namespace tilelab::judge {

// First where the pieces lie, then the copies in their order: so many small copies into a large piece cost no more than their bytes.
std::vector<ReceivedPiece> received_pieces(const std::vector<CopiedBytes>& copies) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges;  // first, end
  for (const CopiedBytes& one : copies)
    if (!one.to_the_device) ranges.emplace_back(one.address, one.address + one.bytes.size());
  std::ranges::sort(ranges);
  std::map<std::uint64_t, std::size_t> places;  // by first address: the number of the piece
  std::vector<ReceivedPiece> pieces;
  for (std::size_t i = 0; i < ranges.size();) {
    const std::uint64_t first = ranges[i].first;
    std::uint64_t end = ranges[i].second;
    for (++i; i < ranges.size() && ranges[i].first <= end; ++i) end = std::max(end, ranges[i].second);
    places[first] = pieces.size();
    pieces.push_back({std::vector<std::byte>(end - first), std::vector<bool>(end - first)});
  }
  for (const CopiedBytes& one : copies) {
    if (one.to_the_device) continue;
    const auto [first, number] = *std::prev(places.upper_bound(one.address));
    const auto offset = static_cast<std::ptrdiff_t>(one.address - first);
    std::copy(one.bytes.begin(), one.bytes.end(), pieces[number].bytes.begin() + offset);
    std::copy(one.by_kernel.begin(), one.by_kernel.end(), pieces[number].by_kernel.begin() + offset);
  }
  return pieces;
}

namespace {

constexpr std::size_t window = 16, least_elements = 4, least_values = 4;
constexpr std::uint64_t first_of_memory = 4096;  // lower addresses number arguments
constexpr std::size_t most_joined = 64;          // bytes of a piece
constexpr std::size_t most_places = 4;
constexpr std::uint64_t most_steps = 400'000'000;  // of one search

// Numbers as they stand one after the other, also in the order of their values: whether a piece of a result stands among them is found
// without looking at every place.
class NumbersInARow {
 public:
  explicit NumbersInARow(std::vector<double> numbers) : numbers_(std::move(numbers)) {
    for (std::size_t i = 0; i < numbers_.size(); ++i)
      if (!std::isnan(numbers_[i])) by_value_.emplace_back(numbers_[i], i);
    std::ranges::sort(by_value_);
  }

  // Whether elements [first, first + count) of `right` stand here in a row. For at least one of them zero must be wrong. `steps` grows by
  // the number of comparisons; at `most_steps` the answer is no.
  bool hold(const Expectation& right, std::size_t first, std::size_t count, std::uint64_t& steps, std::uint64_t most_steps) const {
    // The rarest of the elements is looked for: its places are few. Where one of them stands nowhere, no row of them does.
    Places rarest{0, by_value_.size() + 1};
    std::size_t anchor = first;
    for (std::size_t i = first; i < first + count; ++i) {
      if (is_right(0.0, right, i)) continue;
      const Places places = places_of(right.values[i], right.bounds.empty() ? 0.0 : right.bounds[i]);
      ++steps;
      if (places.begin == places.end) return false;
      if (places.end - places.begin >= rarest.end - rarest.begin) continue;
      rarest = places, anchor = i;
    }
    if (rarest.end > by_value_.size()) return false;
    for (std::size_t i = rarest.begin; i < rarest.end && steps < most_steps; ++i) {
      const std::size_t place = by_value_[i].second, before = anchor - first;
      if (place < before || place - before + count > numbers_.size()) continue;
      std::size_t same = 0;
      while (same < count && is_right(numbers_[place - before + same], right, first + same)) ++same;
      steps += same + 1;
      if (same == count) return true;
    }
    return false;
  }

 private:
  using Placed = std::pair<double, std::size_t>;
  struct Places {
    std::size_t begin = 0, end = 0;  // in `by_value_`
  };
  Places places_of(double value, double bound) const {
    const double wide = bound + std::abs(value) * 1e-15;  // value ± bound is rounded
    const auto from = std::ranges::lower_bound(by_value_, value - wide, {}, &Placed::first);
    const auto to = std::ranges::upper_bound(from, by_value_.end(), value + wide, {}, &Placed::first);
    return {static_cast<std::size_t>(from - by_value_.begin()), static_cast<std::size_t>(to - by_value_.begin())};
  }

  std::vector<double> numbers_;
  std::vector<Placed> by_value_;  // none of a NaN
};

std::vector<double> elements_of(ElementType type, std::span<const std::byte> bytes, std::size_t skipped) {
  if (skipped >= bytes.size()) return {};
  const std::size_t whole = (bytes.size() - skipped) / bytes_of(type) * bytes_of(type);
  return decoded(type, bytes.subspan(skipped, whole));
}

// Looks for the result's elements [first, first + count) in a row.
class Search {
 public:
  explicit Search(const Expectation& right) : right_(right) {}

  // The place in `in` from `start` on.
  std::optional<std::size_t> find(const std::vector<double>& in, std::size_t start, std::size_t first, std::size_t count) {
    for (; start + count <= in.size() && !is_exhausted(); ++start) {
      std::size_t same = 0;
      while (same < count && is_right(in[start + same], right_, first + same)) ++same;
      steps_ += same + 1;
      if (same == count) return start;
    }
    return std::nullopt;
  }
  bool finds(const std::vector<double>& in, std::size_t first, std::size_t count) { return find(in, 0, first, count).has_value(); }
  bool is_exhausted() const { return steps_ >= most_steps; }

 private:
  const Expectation& right_;
  std::uint64_t steps_ = 0;
};

// Whether the elements [first, first + count) tell where they came from: enough different numbers for which zero would be wrong. Pointers
// and small numbers, read as numbers of another type, are next to zero.
bool is_telling(const Expectation& right, std::size_t first, std::size_t count) {
  std::set<double> values;
  for (std::size_t i = first; i < first + count && values.size() < least_values; ++i)
    if (!is_right(0.0, right, i)) values.insert(right.values[i]);
  return values.size() >= least_values;
}

// What a place may hold instead of what a kernel wrote: what the submission was given at the same index, or one and the same byte
// everywhere, as cudaMemset leaves it.
class Gaps {
 public:
  // `bytes`: of an element. `any_fill`: else the byte must be a usual one, because so few elements may hold any by chance.
  Gaps(const std::vector<KnownValues>& known, std::size_t bytes, bool any_fill = true)
      : known_(known), bytes_(bytes), any_fill_(any_fill) {}

  bool may_be(std::span<const std::byte> element, std::size_t index) {
    const auto is_given = [&](const KnownValues& one) {
      return bytes_of(one.type) == bytes_ && (index + 1) * bytes_ <= one.bytes.size() &&
             std::equal(element.begin(), element.end(), one.bytes.begin() + static_cast<std::ptrdiff_t>(index * bytes_));
    };
    if (std::ranges::any_of(known_, is_given)) return true;
    if (fill_ < 0) fill_ = std::to_integer<int>(element[0]);
    const bool is_usual = any_fill_ || fill_ == 0 || fill_ == 0xFF;
    return is_usual && std::ranges::all_of(element, [&](std::byte one) { return std::to_integer<int>(one) == fill_; });
  }

 private:
  const std::vector<KnownValues>& known_;
  std::size_t bytes_;
  bool any_fill_;
  int fill_ = -1;  // the byte; -1: no gap has been seen yet
};

// Whether a kernel made the result that begins at byte `first`: something of it, and what it did not make is no more than a gap.
bool is_made_by_a_kernel(const ReceivedPiece& piece, std::size_t first, std::size_t elements, std::size_t bytes,
                         const std::vector<KnownValues>& known) {
  Gaps gaps(known, bytes);
  bool is_made = false;
  for (std::size_t i = 0; i < elements; ++i) {
    const auto from = piece.by_kernel.begin() + static_cast<std::ptrdiff_t>(first + i * bytes);
    if (std::all_of(from, from + static_cast<std::ptrdiff_t>(bytes), [](bool one) { return one; }))
      is_made = true;
    else if (!gaps.may_be(std::span(piece.bytes).subspan(first + i * bytes, bytes), i))
      return false;
  }
  return is_made;
}

// What the host sent, and the number of copies until then. Small pieces that the same instruction sent one after the other are one, and so
// are pieces that lie side by side in the host's memory.
struct Sent {
  std::uint64_t at = 0;
  std::vector<std::byte> bytes;
  std::size_t before = 0;
};

std::vector<Sent> all_sent(const std::vector<CopiedBytes>& copies) {
  std::vector<Sent> all;
  std::map<std::tuple<std::uint64_t, std::uint64_t, std::size_t>, std::size_t> joined;  // by place, argument and size
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::size_t> ends;                  // by place, and by the address behind it
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const CopiedBytes& one = copies[i];
    if (!one.to_the_device) continue;
    if (one.bytes.size() <= most_joined) {
      const auto [known, is_new] =
          joined.try_emplace({one.at, one.address < first_of_memory ? one.address : first_of_memory, one.bytes.size()}, all.size());
      if (!is_new) {
        auto& bytes = all[known->second].bytes;
        bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
        continue;
      }
    }
    const std::uint64_t end = one.address + one.bytes.size();
    if (const auto known = ends.find({one.at, one.address}); known != ends.end()) {
      const std::size_t number = known->second;
      ends.erase(known);
      ends[{one.at, end}] = number;
      all[number].bytes.insert(all[number].bytes.end(), one.bytes.begin(), one.bytes.end());
      all[number].before = i;
      continue;
    }
    if (one.address >= first_of_memory) ends[{one.at, end}] = all.size();
    all.push_back({one.at, one.bytes, i});
  }
  return all;
}

}  // namespace

bool came_from_a_kernel(const Expectation& right, ElementType type, const std::vector<CopiedBytes>& copies,
                        const std::vector<KnownValues>& known) {
  Search search(right);
  const std::size_t size = right.values.size(), bytes = bytes_of(type);
  const auto holds = [&](const ReceivedPiece& piece) {
    for (std::size_t skipped = 0; skipped < bytes; ++skipped) {
      const std::vector<double> elements = elements_of(type, piece.bytes, skipped);
      for (auto at = search.find(elements, 0, 0, size); at; at = search.find(elements, *at + 1, 0, size))
        if (is_made_by_a_kernel(piece, skipped + *at * bytes, size, bytes, known)) return true;
    }
    return false;
  };
  if (std::ranges::any_of(received_pieces(copies), holds)) return true;
  for (const CopiedBytes& one : copies)  // as it was before a later copy covered it
    if (!one.to_the_device && holds({one.bytes, one.by_kernel})) return true;
  return search.is_exhausted();  // then nobody knows, and who is right is believed
}

std::optional<std::size_t> first_from_the_host(const Operand& result, const OperandContent& content,
                                               const std::vector<KnownValues>& known) {
  constexpr unsigned char by_kernel = 2;
  const std::size_t bytes = bytes_of(result.type), size = content.after.size() / bytes;
  Gaps gaps(known, bytes, size >= least_elements);
  for (std::size_t i = 0; i < size; ++i) {
    const auto origins = std::span(content.origins).subspan(i * bytes, bytes);
    if (may_be_anything(result, i) || std::ranges::all_of(origins, [](unsigned char one) { return one == by_kernel; })) continue;
    if (!gaps.may_be(std::span(content.after).subspan(i * bytes, bytes), i)) return i;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> sent_by_the_host(const Expectation& right, ElementType type, const std::vector<CopiedBytes>& copies,
                                              const std::vector<KnownValues>& known) {
  const std::size_t size = right.values.size();
  if (size < least_elements || !is_telling(right, 0, size)) return std::nullopt;
  const std::size_t count = std::min(size, window);
  Search search(right);
  std::uint64_t steps = 0;
  const auto is_given = [&](std::size_t first) {
    return std::ranges::any_of(known,
                               [&](const KnownValues& one) { return search.finds(elements_of(one.type, one.bytes, 0), first, count); });
  };
  const auto was_received = [&](std::size_t first, std::size_t before) {
    return std::any_of(copies.begin(), copies.begin() + static_cast<std::ptrdiff_t>(before), [&](const CopiedBytes& one) {
      return !one.to_the_device && search.finds(elements_of(type, one.bytes, 0), first, count);
    });
  };
  std::vector<std::size_t> telling;  // where such windows begin
  for (std::size_t first = 0; first + count <= size; first += count)
    if (is_telling(right, first, count)) telling.push_back(first);
  for (const Sent& one : all_sent(copies)) {
    if (one.bytes.size() < count * bytes_of(type)) continue;
    std::vector<NumbersInARow> sent;  // numbers may begin at any byte
    for (std::size_t skipped = 0; skipped < bytes_of(type); ++skipped) sent.emplace_back(elements_of(type, one.bytes, skipped));
    const auto holds = [&](std::size_t first) {
      return std::ranges::any_of(sent, [&](const NumbersInARow& numbers) { return numbers.hold(right, first, count, steps, most_steps); });
    };
    for (const std::size_t first : telling)
      if (holds(first) && !is_given(first) && !was_received(first, one.before)) return one.at;
  }
  return std::nullopt;
}

std::vector<std::uint64_t> places_that_send(std::span<const std::byte> bytes, const std::vector<CopiedBytes>& copies) {
  std::vector<std::uint64_t> places;
  for (const CopiedBytes& one : copies) {
    if (!one.to_the_device || std::ranges::find(places, one.at) != places.end()) continue;
    if (!std::ranges::search(one.bytes, bytes).empty()) places.push_back(one.at);
  }
  return places;
}

std::vector<std::uint64_t> places_that_receive(const std::vector<CopiedBytes>& copies) {
  std::vector<std::uint64_t> places;
  for (const CopiedBytes& one : copies) {
    if (one.to_the_device || one.bytes.empty() || std::ranges::find(places, one.at) != places.end()) continue;
    places.push_back(one.at);
    if (places.size() == most_places) break;
  }
  return places;
}

}  // namespace tilelab::judge
