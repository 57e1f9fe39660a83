// Two mappings for all red zones, one for all marks, and one for each buffer. All are shared, so they are no private memory of the
// launch, of which there is little.
#include "runner/submission/mapped_program.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "executor/memory/touched_words.hpp"

namespace tilelab {
namespace {

using protocol::ProgramBuffer;
using protocol::ProgramFile;

constexpr std::size_t page = 4096;

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }

std::size_t size_of(const Descriptor& file) {
  struct stat about{};
  if (fstat(file.get(), &about) != 0 || about.st_size < 0) throw std::runtime_error("a memory file of the program cannot be read");
  return static_cast<std::size_t>(about.st_size);
}

bool lies_in(std::size_t offset, std::size_t bytes, std::size_t size) { return offset <= size && bytes <= size - offset; }

char* map(std::uintptr_t address, std::size_t bytes, int flags, int file, std::size_t offset) {
  void* memory = mmap(reinterpret_cast<void*>(address), bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | flags, file,
                      static_cast<off_t>(offset));
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(memory);
}

simt::Region region_of(const ProgramBuffer& one, simt::ByteMarks* marks) {
  simt::Region region;
  region.name = one.name;
  region.role = one.only_read ? simt::BufferRole::input : simt::BufferRole::inout;
  region.base = one.address;
  region.bytes = one.bytes;
  region.element = one.element;
  region.element_bytes = one.element_bytes;
  region.named_from = one.named_from;
  region.marks = marks;
  region.texels = !one.texels.empty();
  region.dimensions.assign(one.texels.begin(), one.texels.end());
  return region;
}

}  // namespace

MappedProgram::MappedProgram(const protocol::ProgramMemory& described, const std::vector<Descriptor>& files, simt::MemoryMap& memory)
    : described_(described) {
  if (files.size() != protocol::program_files) throw std::runtime_error("a program's launch comes with four memory files");
  std::vector<std::size_t> sizes;
  for (const Descriptor& file : files) sizes.push_back(size_of(file));
  reserve(described);
  const Descriptor& marks_file = files[static_cast<std::size_t>(ProgramFile::marks)];
  const std::size_t marks_bytes = sizes[static_cast<std::size_t>(ProgramFile::marks)];
  auto* const marks = described.buffers.empty() ? nullptr : map(0, whole_pages(marks_bytes), 0, marks_file.get(), 0);
  for (const ProgramBuffer& one : described.buffers) {
    const auto file = static_cast<std::size_t>(one.file);
    if (!lies_in(one.offset, whole_pages(one.bytes), sizes[file]) || !lies_in(one.marks, (one.bytes + 3) / 4, marks_bytes))
      throw std::runtime_error("buffer " + one.name + " lies outside its file");
    map(one.address, whole_pages(one.bytes), MAP_FIXED, files[file].get(), one.offset);
    marks_.push_back({.words = reinterpret_cast<std::uint8_t*>(marks) + one.marks, .read = {}, .written = {}});
    if (one.file == ProgramFile::shared) marks_.back().host = &host_.emplace_back();
    if (described.follows_touches) {
      const auto touched = static_cast<std::size_t>(ProgramFile::touched);
      const std::size_t from = one.marks * sizeof(simt::WordTouch), bytes = (one.bytes + 3) / 4 * sizeof(simt::WordTouch);
      if (one.marks > sizes[touched] || !lies_in(from, bytes, sizes[touched]))
        throw std::runtime_error("what is touched of buffer " + one.name + " lies outside its file");
      marks_.back().touched = reinterpret_cast<simt::WordTouch*>(map(0, whole_pages(bytes), 0, files[touched].get(), from));
    }
    if (described.heap && &one == &described.buffers[*described.heap]) {
      heap_ = &memory.heap();
      heap_->live_on(one.address, one.bytes, &marks_.back(), described.heap_limit);
      continue;
    }
    memory.add_placed(region_of(one, &marks_.back()));
  }
  place_textures(memory);
}

void MappedProgram::place_textures(simt::MemoryMap& memory) {
  for (const protocol::ProgramTexture& one : described_.textures) {
    if (one.place >= objects_.size()) objects_.resize(one.place + 1);
    simt::TextureObject& object = objects_[one.place] = protocol::object_from(one.description);
    object.generation = one.generation;
    if (!one.buffer) {
      object.gone = one.address;
      continue;
    }
    const ProgramBuffer& buffer = described_.buffers.at(*one.buffer);
    object.region = memory.find_global(buffer.address, 1);
    object.offset = one.address - buffer.address;
    const simt::TextureObject last = level_of(object, object.levels - 1);
    if (object.region == nullptr || one.address < buffer.address || !lies_in(last.offset, last.bytes(), buffer.bytes))
      throw std::runtime_error("a texture is larger than its memory");
  }
}

// Memory around and between the buffers. Device memory and shared memory lie far apart, so they are reserved one by one.
void MappedProgram::reserve(const protocol::ProgramMemory& described) const {
  const auto& buffers = described.buffers;
  for (std::size_t first = 0; first < buffers.size();) {
    std::size_t last = first;
    while (last + 1 < buffers.size() && buffers[last + 1].file == buffers[first].file) ++last;
    const std::uintptr_t from = buffers[first].address - simt::red_zone_bytes;
    const std::uintptr_t to = buffers[last].address + whole_pages(buffers[last].bytes) + simt::red_zone_bytes;
    if (map(from, to - from, MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != reinterpret_cast<char*>(from)) throw std::bad_alloc();
    first = last + 1;
  }
}

void MappedProgram::load(const Image& image) {
  const auto sections = simt::submission_data();
  for (const protocol::ProgramVariable& one : described_.variables) {
    const auto known = image.symbols.find(one.symbol);
    if (known == image.symbols.end()) throw std::runtime_error("the kernel has no variable " + one.symbol);
    const simt::Region& variable = image.variables.at(known->second);
    const ProgramBuffer& buffer = described_.buffers.at(one.buffer);
    const auto section = std::ranges::find_if(sections, [&](const simt::DataSection& one) {
      return one.first != 0 && variable.base >= one.first && variable.base < one.end && variable.bytes <= one.end - variable.base;
    });
    if (section == sections.end() || variable.bytes > buffer.bytes)
      throw std::runtime_error("the variable " + one.symbol + " has another size");
    auto* const here = reinterpret_cast<char*>(variable.base);
    auto* const kept = reinterpret_cast<char*>(buffer.address);
    if (section->constant) {  // declared const: it keeps the value that it was compiled with
      if (!one.has_value) std::memcpy(kept, here, variable.bytes);
      continue;
    }
    std::memcpy(one.has_value ? here : kept, one.has_value ? kept : here, variable.bytes);
    if (described_.follows_touches) followed_[variable.base] = &marks_.at(one.buffer);
    loaded_.push_back({here, kept, marks_.at(one.buffer).words, std::vector<char>(here, here + variable.bytes)});
  }
}

// Byte by byte: a kernel may have written the others through their address, which the host knows. Of a word of eight bytes that has
// changed, all are marked as a kernel's: 1.5f ends in bytes that were zero before.
void MappedProgram::store() const {
  if (heap_ != nullptr) heap_->keep();
  for (const Loaded& one : loaded_) {
    if (std::memcmp(one.variable, one.before.data(), one.before.size()) == 0) continue;
    for (std::size_t at = 0; at < one.before.size(); ++at) {
      if (one.variable[at] == one.before[at]) continue;
      one.kept[at] = one.variable[at];
      for (std::size_t word = at / 8 * 2; word <= at / 8 * 2 + 1 && word * 4 < one.before.size(); ++word)
        one.marks[word] |= simt::ByteMarks::has_value | simt::ByteMarks::by_kernel;
    }
  }
}

std::vector<protocol::BufferUse> MappedProgram::uses() const {
  std::vector<protocol::BufferUse> uses;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    const simt::ByteMarks& one = marks_[i];
    if (one.read.end == 0 && one.written.end == 0) continue;
    uses.push_back({.buffer = i, .read = one.read, .written = one.written});
    if (one.host != nullptr) uses.back().host = *one.host;
  }
  return uses;
}

}  // namespace tilelab
