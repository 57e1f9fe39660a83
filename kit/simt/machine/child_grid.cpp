#include "simt/machine/child_grid.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace tilelab::simt {
namespace {

template <typename Key>
void add_waves(std::vector<std::vector<ChildGrid>>& waves, std::vector<ChildGrid> grids, Key key) {
  std::map<decltype(key(grids.front())), std::size_t> lengths;
  const std::size_t first = waves.size();
  for (ChildGrid& one : grids) {
    const std::size_t wave = first + lengths[key(one)]++;
    if (wave == waves.size()) waves.emplace_back();
    waves[wave].push_back(std::move(one));
  }
}

}  // namespace

std::vector<std::vector<ChildGrid>> waves_of(std::vector<ChildGrid> pending) {
  std::ranges::sort(pending, {}, [](const ChildGrid& one) { return std::tuple(one.launch.by.block, one.order()); });
  std::vector<ChildGrid> tails;
  for (ChildGrid& one : pending) {
    if (one.is_tail()) tails.push_back(std::move(one));
  }
  std::erase_if(pending, [](const ChildGrid& one) { return one.is_tail(); });
  std::vector<std::vector<ChildGrid>> waves;
  add_waves(waves, std::move(pending), [](const ChildGrid& one) { return one.stream_of_block(); });
  add_waves(waves, std::move(tails), [](const ChildGrid& one) { return one.launch.grid; });
  return waves;
}

}  // namespace tilelab::simt
