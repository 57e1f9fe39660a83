// First where the pieces lie, then the copies in their order: so many small copies into a large piece cost no more than their bytes.
#include "program_judge/received_bytes.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace tilelab::judge {

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

}  // namespace tilelab::judge
