// The memory of the imagined device: what the program has allocated, and the files that hold it. Addresses are never given out
// twice, so what points to freed memory is known for that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/host/host_protocol.hpp"
#include "program/memory/array_shape.hpp"
#include "program/memory/file_space.hpp"
#include "program/memory/mapped_file.hpp"
#include "protocol/program_message.hpp"

namespace tilelab::program {

struct Allocation {
  std::size_t index = 0;  // counted from 0 in the order in which they were made
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::device;
  std::uint64_t at = 0;                     // where the program made it
  std::optional<std::uint64_t> freed_at{};  // where it gave it back
  bool freed_by_reset = false;
  std::size_t offset = 0, marks_offset = 0;   // in the files
  char* content = nullptr;                    // in this process
  std::uint8_t* marks = nullptr;              // see simt/memory/byte_marks.hpp
  bool is_set = false;                        // every byte is known to have a value
  bool is_on_record = false;                  // as a whole: see HostView
  const std::string* operand = nullptr;       // the name of the launcher's operand that it holds
  bool is_input = false;                      // an operand that the launcher may only read
  bool is_for_host = false;                   // an operand that host code may read
  bool is_of_graph = false;                   // a node of a graph allocates it, at this address each time
  bool was_never_live = false;                // … and has not done so yet
  std::shared_ptr<const ArrayShape> shape{};  // of an array

  bool is_live() const { return !freed_at; }
  protocol::ProgramFile file() const { return address < shared_first ? protocol::ProgramFile::device : protocol::ProgramFile::shared; }
};

class DeviceMemory {
 public:
  // So much device memory, and as much that the host uses as well. Throws std::system_error, std::bad_alloc.
  explicit DeviceMemory(std::size_t bytes);
  ~DeviceMemory() = default;
  DeviceMemory(const DeviceMemory&) = delete;
  DeviceMemory& operator=(const DeviceMemory&) = delete;

  // Null: there is no room. `bytes` is not 0. The content is zeros that count as unset; memory that the host uses as well counts as
  // set, because nobody sees what the host does there.
  Allocation* allocate(std::size_t bytes, MemoryKind kind, std::uint64_t at);
  Allocation* allocate_shared_variable(std::size_t bytes, std::uint64_t at);  // a __managed__ one
  // An address for memory that a node of a graph allocates. It is not alive before revive(). Null: there is no room for the address.
  Allocation* reserve(std::size_t bytes, std::uint64_t at);
  // Memory that is reserved or was freed is alive again, with new content. False: there is no room.
  bool revive(Allocation& one);
  // Memory for what kernels allocate, of which `limit` bytes may be used at a time. It is no memory of the host's program. Null: no room.
  Allocation* open_heap(std::size_t limit);
  Allocation* heap() { return heap_; }
  std::size_t heap_limit() const { return heap_limit_; }
  // Its bytes are gone, but it is still known.
  void release(Allocation& one, std::uint64_t at, bool by_reset = false);
  // The allocation, living or freed, that the address lies in or shortly behind; or null.
  Allocation* near(std::uintptr_t address);
  // The same, if the address lies in it.
  Allocation* containing(std::uintptr_t address);

  template <typename Visit>
  void for_each_live(const Visit& visit) {
    for (const auto& [address, one] : live_) visit(*one);
  }
  std::size_t live() const { return live_.size(); }
  std::array<int, protocol::program_files> files() const {
    return {data_[0].descriptor(), data_[1].descriptor(), marks_.descriptor(), touched_.descriptor()};
  }
  // What the last launch touched of it, where it was asked to write it down.
  const simt::WordTouch* touched(const Allocation& one) const;
  void forget_touched(const Allocation& one) const;
  std::size_t total_bytes() const { return total_; }
  std::size_t free_bytes() const { return spaces_[0].free_bytes(); }

 private:
  Allocation* place(std::size_t bytes, MemoryKind kind, std::uint64_t at, bool shared);
  void lay(Allocation& one, std::size_t offset);

  std::size_t total_;
  std::array<FileSpace, 2> spaces_;
  std::array<MappedFile, 2> data_;
  MappedFile marks_, touched_;
  std::array<std::uintptr_t, 2> next_;
  std::map<std::uintptr_t, Allocation> all_;  // by address
  std::map<std::uintptr_t, Allocation*> live_;
  std::deque<std::uintptr_t> freed_;  // the oldest first
  std::size_t made_ = 0, reserved_ = 0;
  Allocation* heap_ = nullptr;
  std::size_t heap_limit_ = 0;
};

}  // namespace tilelab::program
