// The memory of the imagined device: files, allocations, arrays, textures, and which bytes have a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "executor/memory/texture_object.hpp"
#include "program/host_request.hpp"
#include "protocol/channel.hpp"
#include "protocol/protocol.hpp"

namespace tilelab::program {

// Which parts of a memory file are in use. Parts begin at multiples of a granularity.

class FileSpace {
 public:
  FileSpace(std::size_t bytes, std::size_t granularity) : granularity_(granularity), free_bytes_(bytes / granularity * granularity) {
    if (free_bytes_ != 0) free_[0] = free_bytes_;
  }
  std::size_t rounded(std::size_t bytes) const { return (bytes + granularity_ - 1) / granularity_ * granularity_; }
  // The lowest place where there is room, or nothing. `bytes` is not 0.
  std::optional<std::size_t> take(std::size_t bytes) {
    if (bytes > free_bytes_) return std::nullopt;
    const std::size_t wanted = rounded(bytes);
    for (auto one = free_.begin(); one != free_.end(); ++one) {
      const auto [offset, room] = *one;
      if (room < wanted) continue;
      free_.erase(one);
      if (room > wanted) free_[offset + wanted] = room - wanted;
      free_bytes_ -= wanted;
      return offset;
    }
    return std::nullopt;
  }
  void give_back(std::size_t offset, std::size_t bytes) {
    std::size_t size = rounded(bytes);
    free_bytes_ += size;
    auto next = free_.upper_bound(offset);
    if (next != free_.end() && next->first == offset + size) {
      size += next->second;
      next = free_.erase(next);
    }
    if (next != free_.begin()) {
      const auto before = std::prev(next);
      if (before->first + before->second == offset) {
        before->second += size;
        return;
      }
    }
    free_[offset] = size;
  }
  std::size_t free_bytes() const { return free_bytes_; }

 private:
  std::size_t granularity_, free_bytes_;
  std::map<std::size_t, std::size_t> free_;  // offset: bytes
};

// A file in memory of a fixed size, mapped here and shared with other processes. Pages that nobody touched cost nothing.

class MappedFile {
 public:
  MappedFile() = default;
  // Throws std::system_error, std::bad_alloc.
  MappedFile(const char* name, std::size_t bytes);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;

  char* memory() const { return memory_; }
  int descriptor() const { return file_.get(); }
  // These bytes are zeros again. Whole pages are given back.
  void forget(std::size_t offset, std::size_t bytes) const;

 private:
  Descriptor file_;
  char* memory_ = nullptr;
  std::size_t bytes_ = 0;
};

// What a CUDA array is: its texels, its extents, its levels of detail, and where each lies in its memory. Rows follow each other without
// a gap, and so do slices: a GPU's own order of texels is nobody's business.

// As cudaChannelFormatDesc says it.
struct ChannelFormat {
  std::array<std::uint64_t, 4> bits{};
  std::uint64_t kind = 0;
};
// Nothing: no texel is like this.
std::optional<simt::TexelFormat> format_of(const ChannelFormat& channels);

struct ArrayLevel {
  std::array<std::uint32_t, 3> extent{1, 1, 1};  // texels of a row, rows of a slice, slices (layers, faces)
  std::size_t offset = 0, row_bytes = 0;
  std::size_t bytes() const { return row_bytes * extent[1] * extent[2]; }
};

struct ArrayRequest {
  ChannelFormat channels;
  std::array<std::uint64_t, 3> extent{};  // as cudaExtent: a height or a depth of 0 is none
  std::uint64_t flags = 0;
  std::uint64_t levels = 0;  // 0: not mipmapped
};

class ArrayShape {
 public:
  static constexpr std::uint64_t layered = 1, surface = 2, cubemap = 4, gather = 8;  // flags, CUDA's

  // Nothing: CUDA makes no such array.
  static std::optional<ArrayShape> of(const ArrayRequest& request);

  const ArrayRequest& request() const { return request_; }
  const simt::TexelFormat& format() const { return format_; }
  bool has(std::uint64_t flag) const { return (request_.flags & flag) != 0; }
  bool is_mipmapped() const { return request_.levels != 0; }
  std::uint32_t dimensions() const;  // without layers
  std::uint32_t layers() const;      // 0: none; of cubes, cubes
  std::size_t bytes() const { return bytes_; }
  const std::vector<ArrayLevel>& levels() const { return levels_; }
  // The level whose handle is this many bytes from the array's own address, or null. The levels of a mipmapped array have handles that
  // are not the array's own.
  const ArrayLevel* level_at(std::size_t offset) const;
  // The extents in texels, slowest first, as a texture is described.
  std::vector<std::uint32_t> texels(const ArrayLevel& level) const;

 private:
  ArrayShape() = default;

  ArrayRequest request_;
  simt::TexelFormat format_;
  std::vector<ArrayLevel> levels_;
  std::size_t bytes_ = 0;
};

// The memory of the imagined device: what the program has allocated, and the files that hold it. Addresses are never given out
// twice, so what points to freed memory is known for that.

// Which launches wrote to an allocation.
struct LastWriter {
  const std::string* kernel = nullptr;  // its symbol, which stays where it is; null: none did
  std::uint64_t at = 0;                 // where the program launched it
  std::size_t element_bytes = 0;        // as its parameter sees the allocation; 0: not known
  std::uint64_t launches = 0;           // in all
};

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
  std::uint8_t* marks = nullptr;              // see executor/memory/byte_marks.hpp
  bool is_set = false;                        // every byte is known to have a value
  bool is_on_record = false;                  // as a whole: see HostView
  const std::string* operand = nullptr;       // the name of the launcher's operand that it holds
  bool is_input = false;                      // an operand that the launcher may only read
  bool is_for_host = false;                   // an operand that host code may read
  bool is_of_graph = false;                   // a node of a graph allocates it, at this address each time
  bool was_never_live = false;                // … and has not done so yet
  std::shared_ptr<const ArrayShape> shape{};  // of an array
  std::size_t pitch = 0, row_bytes = 0;       // of cudaMallocPitch: bytes from row to row, and those of a row that it asked for
  LastWriter writer{};
  bool was_given = false;     // managed memory, to a kernel
  bool is_untouched = false;  // … and the host had not touched it until then

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
  // set, because nobody sees what the host does there. `shared`: a variable that the host uses as well.
  Allocation* allocate(std::size_t bytes, MemoryKind kind, std::uint64_t at, bool shared = false);
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

  // All that are known, living and freed.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (const auto& [address, one] : all_) visit(one);
  }
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
  // Whether no process has read or written its pages yet. False where that is not known.
  bool is_untouched(const Allocation& one) const;
  std::size_t total_bytes() const { return total_; }
  std::size_t free_bytes() const { return spaces_[0].free_bytes(); }

 private:
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

// What the program's mistakes and replies call the side of a copy or a pointer: host, device, or memory of both.

// `memory` is null for the program's own memory.
inline const char* side_of(const Allocation* memory) {
  if (memory == nullptr) return "host";
  switch (memory->kind) {
    case MemoryKind::managed: return "managed";
    case MemoryKind::pinned: return "pinned";
    default: return "device";
  }
}

// The textures and surfaces that the program has made, by their handles. A handle that was destroyed is never given out again.

class TextureTable {
 public:
  // Without its place and its generation. Returns the handle; nothing: there are too many.
  std::optional<std::uint64_t> add(protocol::ProgramTexture made) {
    auto free = std::ranges::find(slots_, false, &Slot::is_live);
    if (free == slots_.end()) {
      if (slots_.size() >= simt::most_texture_objects) return std::nullopt;
      free = slots_.emplace(slots_.end());
    }
    made.place = static_cast<std::size_t>(free - slots_.begin());
    made.generation = free->made.generation + 1;
    *free = {std::move(made), true};
    return simt::first_texture_handle + free->made.generation * simt::most_texture_objects + free->made.place;
  }
  // false: there is no such object
  bool destroy(std::uint64_t handle) {
    const protocol::ProgramTexture* const made = find(handle);
    if (made == nullptr) return false;
    slots_[made->place].is_live = false;
    return true;
  }
  const protocol::ProgramTexture* find(std::uint64_t handle) const {
    const std::uint64_t number = handle - simt::first_texture_handle, place = number % simt::most_texture_objects;
    if (place >= slots_.size() || !slots_[place].is_live) return nullptr;
    const protocol::ProgramTexture& made = slots_[place].made;
    return made.generation == number / simt::most_texture_objects ? &made : nullptr;
  }
  // Whether a kernel may write to this memory through a surface.
  bool has_surface_of(const Allocation& one) const {
    return std::ranges::any_of(slots_, [&](const Slot& slot) {
      return slot.is_live && slot.made.description.surface && slot.made.address - one.address < one.bytes;
    });
  }
  // Nothing is there any more: the device was reset.
  void clear() {
    for (Slot& one : slots_) one.is_live = false;
  }

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
};

// Marks of bytes (see executor/memory/byte_marks.hpp), as copies by the host change them. Positions are bytes from an allocation's start.

// The host has set these bytes.
void mark_as_set(std::uint8_t* marks, std::size_t first, std::size_t bytes);
// They were copied from bytes with other marks. The ranges may overlap.
void copy_marks(std::uint8_t* to, std::size_t to_first, const std::uint8_t* from, std::size_t from_first, std::size_t bytes);
bool all_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes);
// Calls `visit` with the first byte and the number of bytes of each part of [first, first + bytes) that kernels wrote without a gap.
void for_each_written_by_kernel(const std::uint8_t* marks, std::size_t first, std::size_t bytes,
                                const std::function<void(std::size_t, std::size_t)>& visit);
bool none_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes);

// Elements without a value, of a part of an allocation or of rows in it. Indices from the allocation's start.
struct UnsetElements {
  std::size_t element_bytes = 1;
  std::size_t first = 0, run = 0;  // the first one, and how many follow it without a gap, with itself
  std::size_t count = 0, looked_at = 0;
  bool has_end = false;  // all of them are the last ones that were looked at
};
// Adds those in [first, first + bytes) to `all`. `by_kernel`: what a kernel did not write has no value. What lies behind a row's own bytes
// in memory with a pitch does not count, and an element that lies there in part does not.
void add_unset(UnsetElements& all, const Allocation& one, std::size_t first, std::size_t bytes, bool by_kernel = false);

}  // namespace tilelab::program
