// What a launch finds in memory. The buffers among its arguments: copied from their memory files before the launch and back after it.
// Addresses of buffers are written into those that hold pointers, and handles of textures stand for the buffers that they show.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "executor/memory/byte_marks.hpp"
#include "executor/memory/memory_map.hpp"
#include "executor/memory/texture_object.hpp"
#include "executor/submission/submission_data.hpp"
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
  void place_pointers(bool give_back);
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
// sections that are in no variable's room. `marks`: of variables whose use is followed, by their addresses.
void add_module(const Image& image, simt::MemoryMap& memory, const std::map<std::uintptr_t, simt::ByteMarks*>& marks = {});

// A whole program's memory inside one launch: its files mapped at the program's own addresses, with red zones around each buffer, and
// the values of the module's variables. Nothing is copied but variables. There are two mappings for all red zones, one for all marks, and
// one for each buffer. All are shared, so they are no private memory of the launch, of which there is little.
class MappedProgram {
 public:
  // Maps everything and adds it to `memory`. `files`: as many as protocol::program_files. Throws std::runtime_error, std::bad_alloc.
  // It stays mapped until the process ends.
  MappedProgram(const protocol::ProgramMemory& described, const std::vector<Descriptor>& files, simt::MemoryMap& memory);

  // Gives the module's variables the values that they had after the last launch.
  void load(const Image& image);
  // Their marks by their addresses in the module, where the launch writes down what it touches.
  const std::map<std::uintptr_t, simt::ByteMarks*>& followed_variables() const { return followed_; }
  // Keeps those that the launch has changed, and what is on the heap.
  void store() const;
  // By their places. Valid when everything is mapped.
  const std::vector<simt::TextureObject>& objects() const { return objects_; }
  // What the launch did with the buffers.
  std::vector<protocol::BufferUse> uses() const;

 private:
  struct Loaded {
    const char* variable;
    char* kept;
    std::uint8_t* marks;
    std::vector<char> before;
  };
  void place_textures(simt::MemoryMap& memory);
  void reserve(const protocol::ProgramMemory& described) const;

  const protocol::ProgramMemory& described_;
  simt::DeviceHeap* heap_ = nullptr;   // of the program, where a kernel has used it
  std::deque<simt::ByteMarks> marks_;  // one for each buffer
  std::deque<simt::HostConflicts> host_;
  std::vector<Loaded> loaded_;
  std::map<std::uintptr_t, simt::ByteMarks*> followed_;
  std::vector<simt::TextureObject> objects_;
};

}  // namespace tilelab
