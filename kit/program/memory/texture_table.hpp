// The textures and surfaces that the program has made, by their handles. A handle that was destroyed is never given out again.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/memory/device_memory.hpp"
#include "protocol/program_message.hpp"

namespace tilelab::program {

class TextureTable {
 public:
  // Without its place and its generation. Returns the handle; nothing: there are too many.
  std::optional<std::uint64_t> add(protocol::ProgramTexture made);
  bool destroy(std::uint64_t handle);  // false: there is no such object
  const protocol::ProgramTexture* find(std::uint64_t handle) const;
  // Whether a kernel may write to this memory through a surface.
  bool has_surface_of(const Allocation& one) const;
  // Nothing is there any more: the device was reset.
  void clear();

  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const Slot& one : slots_) {
      if (one.is_live) visit(one.made);
    }
  }

 private:
  struct Slot {
    protocol::ProgramTexture made;
    bool is_live = false;
  };
  std::vector<Slot> slots_;
  std::vector<std::size_t> free_;
};

}  // namespace tilelab::program
