// A whole program's memory inside one launch: its files mapped at the program's own addresses, with red zones around each buffer, and
// the values of the module's variables. Nothing is copied but variables.
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
