// What a launch finds in memory. The buffers among its arguments: copied from their memory files before the launch and back after it.
// Addresses of buffers are written into those that hold pointers, and handles of textures stand for the buffers that they show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "executor/memory/memory_map.hpp"
#include "executor/memory/texture_object.hpp"
#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"
#include "runner/submission/image.hpp"

namespace tilelab {

class ArgumentBuffers {
 public:
  // Adds each buffer to `memory`. All three stay where they are. Throws std::runtime_error, std::bad_alloc.
  ArgumentBuffers(const protocol::LaunchRequest& request, const std::vector<Descriptor>& files, simt::MemoryMap& memory);

  // Of buffers, or the handles of textures that show them.
  const std::vector<std::uintptr_t>& addresses() const { return addresses_; }
  // For each argument, if one of them is a texture or a surface.
  const std::vector<simt::TextureObject>& objects() const { return objects_; }
  // Writes the buffers back to their files. Throws std::runtime_error.
  void store();

 private:
  void add(const protocol::Argument& argument, std::size_t& file);
  void place_textures();
  void place_pointers();
  void take_back_pointers();
  std::uintptr_t passed_for(std::size_t argument) const;

  const protocol::LaunchRequest& request_;
  const std::vector<Descriptor>& files_;
  simt::MemoryMap& memory_;
  std::vector<std::uintptr_t> addresses_;
  std::vector<std::uintptr_t> arenas_;  // for each argument: its buffer's address, or 0
  std::vector<simt::TextureObject> objects_;
};

// The kernel's shared arrays as a launch sees them: static ones, and the dynamic one, which has the size that the launch asks for.
void place_shared(const Image& image, std::size_t dynamic_bytes, simt::MemoryMap& memory);

// The module's data as a launch sees it: adds variables by name, and then the constants without a name between them, the bytes of their
// sections that are in no variable's room. `marks`: of variables whose use is
// followed, by their addresses.
void add_module(const Image& image, simt::MemoryMap& memory, const std::map<std::uintptr_t, simt::ByteMarks*>& marks = {});

}  // namespace tilelab
