#include "runner/submission/launch_memory.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "runner/launch.hpp"

// The dynamic shared block. Through its address we find the thread-local segment that holds every shared array. The builder
// generates the assembly file that defines it.
extern "C" __thread char tilelab_dynamic_shared[];

namespace tilelab {
namespace {

using protocol::Argument;
using protocol::Role;

void shape_texels(simt::Region& region, const protocol::TextureDescription& texture) {
  region.texels = true;
  region.dimensions.assign(texture.extents.begin(), texture.extents.end());
  if (texture.layers != 0) region.dimensions.insert(region.dimensions.begin(), texture.layers);
}

simt::Region region_of(const Argument& argument) {
  simt::Region region;
  region.name = argument.name;
  region.role = argument.role == Role::input    ? simt::BufferRole::input
                : argument.role == Role::output ? simt::BufferRole::output
                                                : simt::BufferRole::inout;
  region.bytes = argument.bytes;
  region.element = argument.element;
  region.element_bytes = argument.element_bytes;
  if (region.element_bytes == 0) throw std::runtime_error("buffer " + region.name + " has elements of no size");
  if (argument.row_elements != 0) {
    const std::size_t rows = argument.bytes / region.element_bytes / argument.row_elements;
    if (rows == 1)
      region.dimensions = {argument.row_elements};  // a list
    else
      region.dimensions = {rows, argument.row_elements};
  }
  if (argument.texture) shape_texels(region, *argument.texture);
  return region;
}

void transfer(const Descriptor& file, const simt::Region& region, bool out) {
  auto* const bytes = reinterpret_cast<void*>(region.base);
  if (!(out ? file.write_at(0, bytes, region.bytes) : file.read_at(0, bytes, region.bytes)))
    throw std::runtime_error("buffer " + region.name + " cannot be transferred");
}

constexpr std::size_t shared_slack_bytes = 4096;  // less than the padding that the builder places behind the block

simt::Region nameless(std::uintptr_t first, std::uintptr_t end, bool constant) {
  simt::Region bytes;
  bytes.name = "the submission's own data";
  if (constant) bytes.role = simt::BufferRole::input;
  bytes.base = first;
  bytes.bytes = end - first;
  bytes.element = "byte";
  bytes.element_bytes = 1;
  bytes.constant = constant;
  return bytes;
}

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

ArgumentBuffers::ArgumentBuffers(const protocol::LaunchRequest& request, const std::vector<Descriptor>& files, simt::MemoryMap& memory)
    : request_(request), files_(files), memory_(memory) {
  std::size_t file = 0;
  for (const Argument& argument : request_.arguments) {
    if (argument.role == Role::scalar || argument.role == Role::object)
      arenas_.push_back(0);
    else
      add(argument, file);
  }
  place_textures();
  place_pointers(false);
}

void ArgumentBuffers::add(const Argument& argument, std::size_t& file) {
  if (request_.memory) throw std::runtime_error("a program's buffers are no arguments");
  const simt::Region& placed = memory_.add_buffer(region_of(argument));
  addresses_.push_back(argument.texture ? protocol::texture_handle(arenas_.size()) : placed.base);
  arenas_.push_back(placed.base);
  transfer(files_.at(file++), placed, false);
}

// What the handles among the arguments stand for.
void ArgumentBuffers::place_textures() {
  const auto& arguments = request_.arguments;
  if (std::none_of(arguments.begin(), arguments.end(), [](const Argument& one) { return one.texture.has_value(); })) return;
  objects_.resize(arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].texture) continue;
    const std::uintptr_t shown = arenas_.at(arguments[i].texture->of.value_or(i));
    objects_[i] = protocol::object_from(*arguments[i].texture);
    objects_[i].region = shown != 0 ? memory_.find_global(shown, 1) : nullptr;
    if (objects_[i].region == nullptr || objects_[i].texels() * objects_[i].format.texel_bytes() > objects_[i].region->bytes)
      throw std::runtime_error("the texture " + arguments[i].name + " is larger than its memory");
  }
}

// What the kernel is passed for a buffer, or for the texture that shows it.
std::uintptr_t ArgumentBuffers::passed_for(std::size_t argument) const {
  return request_.arguments.at(argument).texture ? protocol::texture_handle(argument) : arenas_.at(argument);
}

// Writes the addresses of buffers into the buffers that hold pointers to them. A buffer that is given back holds none of ours: where the
// kernel left a pointer as it was, there are zeros.
void ArgumentBuffers::place_pointers(bool give_back) {
  for (std::size_t i = 0; i < request_.arguments.size(); ++i) {
    if (arenas_[i] == 0) continue;
    for (const protocol::PointerAt& one : request_.arguments[i].pointers) {
      const std::uintptr_t target = passed_for(one.argument);
      if (one.offset + sizeof target > request_.arguments[i].bytes) throw std::runtime_error("a pointer lies outside its buffer");
      char* at = reinterpret_cast<char*>(arenas_[i]) + one.offset;
      if (!give_back)
        std::memcpy(at, &target, sizeof target);
      else if (std::memcmp(at, &target, sizeof target) == 0)
        std::memset(at, 0, sizeof target);
    }
  }
}

void ArgumentBuffers::store() {
  if (request_.memory) return;
  place_pointers(true);
  std::size_t file = 0;
  for (const simt::Region& region : memory_.buffers()) transfer(files_.at(file++), region, true);
}

void place_shared(const Image& image, std::size_t dynamic_bytes, simt::MemoryMap& memory) {
  const auto segment = reinterpret_cast<std::uintptr_t>(tilelab_dynamic_shared) - image.dynamic_offset;
  std::vector<simt::Region> arrays = image.shared;
  std::size_t span = 0;
  std::erase_if(arrays, [&](simt::Region& array) {
    if (array.dynamic) array.bytes = dynamic_bytes;
    const bool changes = array.dynamic && image.launches_children;
    span = std::max(span, array.base + (changes ? std::max(array.bytes, most_shared_bytes) : array.bytes));
    array.base += segment;
    return array.bytes == 0 && !array.dynamic;  // an empty dynamic array stays: if shared_bytes was forgotten, the finding names this array
  });
  if (image.shared.empty()) return;
  memory.set_shared(segment, span + shared_slack_bytes, std::move(arrays));
  for (const simt::AddressRange& guard : image.guards) memory.add_guard(segment + guard.first, segment + guard.end);
}

void add_module(const Image& image, simt::MemoryMap& memory, const std::map<std::uintptr_t, simt::ByteMarks*>& marks) {
  for (const simt::DataSection& section : simt::submission_data()) {
    if (section.first == 0 || section.end <= section.first) continue;
    std::uintptr_t next = section.first;
    for (simt::Region variable : image.variables) {
      if (variable.base < next || variable.base >= section.end || variable.bytes > section.end - variable.base) continue;
      if (variable.base > next) memory.add_module(nameless(next, variable.base, section.constant));
      variable.room = std::clamp(variable.room, variable.bytes, section.end - variable.base);
      next = variable.base + variable.room;
      variable.constant = section.constant;
      if (const auto followed = marks.find(variable.base); followed != marks.end()) variable.marks = followed->second;
      if (section.constant) variable.role = simt::BufferRole::input;
      memory.add_module(std::move(variable));
    }
    if (next < section.end) memory.add_module(nameless(next, section.end, section.constant));
  }
}

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
