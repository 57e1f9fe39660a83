#include "program/memory/texture_table.hpp"

#include <algorithm>
#include <utility>

namespace tilelab::program {

std::optional<std::uint64_t> TextureTable::add(protocol::ProgramTexture made) {
  if (free_.empty()) {
    if (slots_.size() >= simt::most_texture_objects) return std::nullopt;
    free_.push_back(slots_.size());
    slots_.emplace_back();
  }
  const std::size_t place = free_.back();
  free_.pop_back();
  Slot& slot = slots_[place];
  made.place = place;
  made.generation = slot.made.generation + 1;
  slot = {std::move(made), true};
  return simt::first_texture_handle + slot.made.generation * simt::most_texture_objects + place;
}

const protocol::ProgramTexture* TextureTable::find(std::uint64_t handle) const {
  const std::uint64_t number = handle - simt::first_texture_handle, place = number % simt::most_texture_objects;
  if (place >= slots_.size() || !slots_[place].is_live) return nullptr;
  const protocol::ProgramTexture& made = slots_[place].made;
  return made.generation == number / simt::most_texture_objects ? &made : nullptr;
}

bool TextureTable::destroy(std::uint64_t handle) {
  const protocol::ProgramTexture* const made = find(handle);
  if (made == nullptr) return false;
  slots_[made->place].is_live = false;
  free_.push_back(made->place);
  return true;
}

bool TextureTable::has_surface_of(const Allocation& one) const {
  return std::ranges::any_of(slots_, [&](const Slot& slot) {
    return slot.is_live && slot.made.description.surface && slot.made.address - one.address < one.bytes;
  });
}

void TextureTable::clear() {
  for (std::size_t place = 0; place < slots_.size(); ++place) {
    if (slots_[place].is_live) free_.push_back(place);
    slots_[place].is_live = false;
  }
}

}  // namespace tilelab::program
