#include "runner/submission/argument_buffers.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "executor/submission/submission_data.hpp"
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
  place_pointers();
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

// Writes the addresses of buffers into the buffers that hold pointers to them.
void ArgumentBuffers::place_pointers() {
  for (std::size_t i = 0; i < request_.arguments.size(); ++i) {
    if (arenas_[i] == 0) continue;
    for (const protocol::PointerAt& one : request_.arguments[i].pointers) {
      const std::uintptr_t target = passed_for(one.argument);
      if (one.offset + sizeof target > request_.arguments[i].bytes) throw std::runtime_error("a pointer lies outside its buffer");
      std::memcpy(reinterpret_cast<char*>(arenas_[i]) + one.offset, &target, sizeof target);
    }
  }
}

// A buffer that is given back holds no addresses of ours: where the kernel left a pointer as it was, there are zeros.
void ArgumentBuffers::take_back_pointers() {
  for (std::size_t i = 0; i < request_.arguments.size(); ++i) {
    if (arenas_[i] == 0) continue;
    for (const protocol::PointerAt& one : request_.arguments[i].pointers) {
      char* at = reinterpret_cast<char*>(arenas_[i]) + one.offset;
      const std::uintptr_t target = passed_for(one.argument);
      if (std::memcmp(at, &target, sizeof target) == 0) std::memset(at, 0, sizeof target);
    }
  }
}

void ArgumentBuffers::store() {
  if (request_.memory) return;
  take_back_pointers();
  std::size_t file = 0;
  for (const simt::Region& region : memory_.buffers()) transfer(files_.at(file++), region, true);
}

namespace {

constexpr std::size_t shared_slack_bytes = 4096;  // less than the padding that the builder places behind the block

}  // namespace

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

namespace {

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

}  // namespace

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

}  // namespace tilelab
