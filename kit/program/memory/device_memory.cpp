#include "program/memory/device_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace tilelab::program {
namespace {

[[noreturn]] void fail_to_map(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

constexpr std::uint64_t known_flags = ArrayShape::layered | ArrayShape::surface | ArrayShape::cubemap | ArrayShape::gather;
constexpr std::uint64_t faces = 6;

bool is_at_most(const std::array<std::uint64_t, 3>& extent, std::uint64_t width, std::uint64_t height, std::uint64_t depth) {
  return extent[0] > 0 && extent[0] <= width && extent[1] <= height && extent[2] <= depth;
}

bool is_possible(const ArrayRequest& request) {
  const auto& [width, height, depth] = request.extent;
  const bool is_layered = (request.flags & ArrayShape::layered) != 0, is_cube = (request.flags & ArrayShape::cubemap) != 0;
  if ((request.flags & ~known_flags) != 0) return false;
  if (is_cube) {
    const bool whole = is_layered ? depth > 0 && depth % faces == 0 : depth == faces;
    return whole && width == height && is_at_most(request.extent, 32768, 32768, 2046);
  }
  if (is_layered) return depth > 0 && is_at_most(request.extent, 32768, 32768, 2048);
  if (depth > 0) return height > 0 && is_at_most(request.extent, 16384, 16384, 16384);
  return is_at_most(request.extent, 131072, 65536, 0);
}

constexpr std::size_t page = 4096;
constexpr std::size_t most_freed = 1u << 16, most_reserved = 1u << 16;  // that are still known

constexpr std::uint8_t whole = 0x0F;

std::uint8_t bit(std::size_t at) { return static_cast<std::uint8_t>(1u << (at % 4)); }

// Bytes up to the next whole word, at most `bytes`.
std::size_t before_words(std::size_t first, std::size_t bytes) { return std::min(bytes, (4 - first % 4) % 4); }

void set_byte(std::uint8_t* marks, std::size_t at, bool is_set, bool by_kernel) {
  std::uint8_t& word = marks[at / 4];
  const std::uint8_t one = bit(at);
  word = static_cast<std::uint8_t>(word & ~(one | (one << 4)));
  if (is_set) word = static_cast<std::uint8_t>(word | one);
  if (by_kernel) word = static_cast<std::uint8_t>(word | (one << 4));
}

template <typename Test>
bool every_word(const std::uint8_t* marks, std::size_t first, std::size_t bytes, const Test& test) {
  const std::size_t head = before_words(first, bytes), words = (bytes - head) / 4;
  for (std::size_t at = first; at < first + head; ++at) {
    if (!test(static_cast<std::uint8_t>(marks[at / 4] & bit(at)), bit(at))) return false;
  }
  const std::uint8_t* middle = marks + (first + head) / 4;
  for (std::size_t i = 0; i < words; ++i) {
    if (!test(static_cast<std::uint8_t>(middle[i] & whole), whole)) return false;
  }
  for (std::size_t at = first + head + words * 4; at < first + bytes; ++at) {
    if (!test(static_cast<std::uint8_t>(marks[at / 4] & bit(at)), bit(at))) return false;
  }
  return true;
}

}  // namespace

MappedFile::MappedFile(const char* name, std::size_t bytes) : file_(::memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING)), bytes_(bytes) {
  if (file_.get() < 0) fail_to_map("memfd_create");
  if (::ftruncate(file_.get(), static_cast<off_t>(bytes)) != 0) fail_to_map("make a memory file large");
  if (::fcntl(file_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) fail_to_map("seal a memory file");
  void* mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_.get(), 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<char*>(mapped);
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : file_(std::move(other.file_)), memory_(std::exchange(other.memory_, nullptr)), bytes_(other.bytes_) {}

MappedFile::~MappedFile() {
  if (memory_ != nullptr) ::munmap(memory_, bytes_);
}

void MappedFile::forget(std::size_t offset, std::size_t bytes) const {
  if (::fallocate(file_.get(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset), static_cast<off_t>(bytes)) != 0)
    std::memset(memory_ + offset, 0, bytes);
}

std::optional<simt::TexelFormat> format_of(const ChannelFormat& channels) {
  const auto& bits = channels.bits;
  const auto count = static_cast<std::size_t>(std::ranges::find(bits, std::uint64_t{0}) - bits.begin());
  const auto rest = bits.begin() + static_cast<std::ptrdiff_t>(count);
  const bool alike = std::all_of(bits.begin(), rest, [&](std::uint64_t one) { return one == bits[0]; });
  const bool ends = std::all_of(rest, bits.end(), [](std::uint64_t one) { return one == 0; });
  const bool is_float = channels.kind == 2;
  const bool size = bits[0] == 32 || bits[0] == 16 || (bits[0] == 8 && !is_float);
  if (channels.kind > 2 || !alike || !ends || !size || count == 3) return std::nullopt;
  const simt::TexelKind kind = is_float             ? simt::TexelKind::floating
                               : channels.kind == 0 ? simt::TexelKind::signed_integer
                                                    : simt::TexelKind::unsigned_integer;
  return simt::TexelFormat{kind, static_cast<std::uint32_t>(bits[0] / 8), static_cast<std::uint32_t>(count)};
}

std::optional<ArrayShape> ArrayShape::of(const ArrayRequest& request) {
  const auto format = format_of(request.channels);
  if (!format || !is_possible(request)) return std::nullopt;
  ArrayShape shape;
  shape.request_ = request;
  shape.format_ = *format;
  const bool is_deep = shape.dimensions() == 3;
  std::array<std::uint32_t, 3> extent{};
  for (std::size_t d = 0; d < extent.size(); ++d) extent[d] = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, request.extent[d]));
  const std::uint32_t longest = std::max({extent[0], extent[1], is_deep ? extent[2] : 1u});
  const std::uint64_t most = std::bit_width(longest), levels = std::clamp<std::uint64_t>(request.levels, 1, most);
  std::size_t offset = request.levels != 0 ? simt::level_alignment : 0;
  for (std::uint64_t i = 0; i < levels; ++i) {
    const ArrayLevel& level = shape.levels_.emplace_back(ArrayLevel{extent, offset, std::size_t{extent[0]} * shape.format_.texel_bytes()});
    shape.bytes_ = offset + level.bytes();
    offset = (shape.bytes_ + simt::level_alignment - 1) / simt::level_alignment * simt::level_alignment;
    for (std::size_t d = 0; d < (is_deep ? 3 : 2); ++d) extent[d] = std::max(1u, extent[d] / 2);
  }
  return shape;
}

std::uint32_t ArrayShape::dimensions() const {
  if (request_.extent[1] == 0) return 1;
  return request_.extent[2] != 0 && !has(layered) && !has(cubemap) ? 3 : 2;
}

std::uint32_t ArrayShape::layers() const {
  if (!has(layered)) return 0;
  return static_cast<std::uint32_t>(has(cubemap) ? request_.extent[2] / faces : request_.extent[2]);
}

const ArrayLevel* ArrayShape::level_at(std::size_t offset) const {
  const auto found = std::ranges::find(levels_, offset, &ArrayLevel::offset);
  return found != levels_.end() ? &*found : nullptr;
}

std::vector<std::uint32_t> ArrayShape::texels(const ArrayLevel& level) const {
  std::vector<std::uint32_t> all;
  for (std::size_t d = dimensions(); d-- > 0;) all.push_back(level.extent[d]);
  return all;
}

DeviceMemory::DeviceMemory(std::size_t bytes)
    : total_(std::max(bytes, protocol::program_granularity) / protocol::program_granularity * protocol::program_granularity),
      spaces_{FileSpace(total_, protocol::program_granularity), FileSpace(total_, protocol::program_granularity)},
      data_{MappedFile("tilelab-device", total_), MappedFile("tilelab-shared", total_)},
      marks_("tilelab-marks", total_ / 2),  // a quarter of both
      touched_("tilelab-touched", total_ / 2 * sizeof(simt::WordTouch)),
      next_{device_first + protocol::program_gap, shared_first + protocol::program_gap} {}

Allocation* DeviceMemory::allocate(std::size_t bytes, MemoryKind kind, std::uint64_t at, bool shared) {
  shared = shared || kind == MemoryKind::managed || kind == MemoryKind::pinned;
  const std::uintptr_t end = shared ? memory_end : shared_first;
  std::uintptr_t& next = next_[shared];
  if (bytes > total_ || end - next < bytes + 2 * protocol::program_gap || live_.size() >= protocol::most_program_buffers) return nullptr;
  const auto offset = spaces_[shared].take(bytes);
  if (!offset) return nullptr;
  Allocation one{.index = made_++, .address = next, .bytes = bytes, .kind = kind, .at = at};
  lay(one, *offset);
  if (kind != MemoryKind::device && kind != MemoryKind::array) {
    std::memset(one.marks, 0x0F, (bytes + 3) / 4);
    one.is_set = true;
  }
  next += (bytes + page - 1) / page * page + protocol::program_gap;
  Allocation& kept = all_.emplace(one.address, one).first->second;
  live_.emplace(kept.address, &kept);
  return &kept;
}

void DeviceMemory::lay(Allocation& one, std::size_t offset) {
  const bool shared = one.address >= shared_first;
  one.offset = offset;
  one.marks_offset = (offset + (shared ? total_ : 0)) / 4;
  one.content = data_[shared].memory() + offset;
  one.marks = reinterpret_cast<std::uint8_t*>(marks_.memory()) + one.marks_offset;
}

Allocation* DeviceMemory::reserve(std::size_t bytes, std::uint64_t at) {
  std::uintptr_t& next = next_[0];
  if (bytes > total_ || shared_first - next < bytes + 2 * protocol::program_gap || reserved_ >= most_reserved) return nullptr;
  ++reserved_;
  Allocation one{.index = made_++, .address = next, .bytes = bytes, .at = at};
  one.freed_at = 0;
  one.is_of_graph = one.was_never_live = true;
  next += (bytes + page - 1) / page * page + protocol::program_gap;
  return &all_.emplace(one.address, one).first->second;
}

bool DeviceMemory::revive(Allocation& one) {
  if (live_.size() >= protocol::most_program_buffers) return false;
  const auto offset = spaces_[0].take(one.bytes);
  if (!offset) return false;
  lay(one, *offset);
  one.freed_at.reset();
  one.is_set = one.is_on_record = one.was_never_live = false;
  live_.emplace(one.address, &one);
  return true;
}

// Freed memory is not given out again soon, so there is more of it than may be used at a time.
Allocation* DeviceMemory::open_heap(std::size_t limit) {
  constexpr std::size_t least = 128u << 20, most = 2u << 30;
  limit = std::clamp(limit, protocol::least_heap_bytes, total_);
  for (std::size_t bytes = std::clamp(16 * limit, least, std::max(most, 2 * limit)); heap_ == nullptr && bytes >= limit; bytes /= 2)
    heap_ = allocate(bytes + bytes / 2, MemoryKind::device, 0);
  if (heap_ == nullptr) return nullptr;
  heap_->kind = MemoryKind::variable;
  heap_limit_ = limit;
  return heap_;
}

void DeviceMemory::release(Allocation& one, std::uint64_t at, bool by_reset) {
  if (&one == heap_) heap_ = nullptr;
  const bool shared = one.address >= shared_first;
  const std::size_t room = spaces_[shared].rounded(one.bytes);
  data_[shared].forget(one.offset, room);
  marks_.forget(one.marks_offset, room / 4);
  spaces_[shared].give_back(one.offset, one.bytes);
  one.freed_at = at;
  one.freed_by_reset = by_reset;
  live_.erase(one.address);
  if (one.is_of_graph) return;
  freed_.push_back(one.address);
  if (freed_.size() > most_freed) {
    all_.erase(freed_.front());
    freed_.pop_front();
  }
}

const simt::WordTouch* DeviceMemory::touched(const Allocation& one) const {
  return reinterpret_cast<const simt::WordTouch*>(touched_.memory()) + one.marks_offset;
}

void DeviceMemory::forget_touched(const Allocation& one) const {
  touched_.forget(one.marks_offset * sizeof(simt::WordTouch), (one.bytes + 3) / 4 * sizeof(simt::WordTouch));
}

bool DeviceMemory::is_untouched(const Allocation& one) const {
  const bool shared = one.address >= shared_first;
  const off_t data = ::lseek(data_[shared].descriptor(), static_cast<off_t>(one.offset), SEEK_DATA);
  return data < 0 ? errno == ENXIO : static_cast<std::size_t>(data) >= one.offset + one.bytes;
}

Allocation* DeviceMemory::near(std::uintptr_t address) {
  const auto next = all_.upper_bound(address);
  if (next == all_.begin()) return nullptr;
  Allocation& one = std::prev(next)->second;
  return address - one.address < one.bytes + protocol::program_gap / 2 ? &one : nullptr;
}

Allocation* DeviceMemory::containing(std::uintptr_t address) {
  Allocation* one = near(address);
  return one != nullptr && address - one->address < one->bytes ? one : nullptr;
}

void mark_as_set(std::uint8_t* marks, std::size_t first, std::size_t bytes) {
  const std::size_t head = before_words(first, bytes), words = (bytes - head) / 4;
  for (std::size_t at = first; at < first + head; ++at) set_byte(marks, at, true, false);
  std::memset(marks + (first + head) / 4, whole, words);
  for (std::size_t at = first + head + words * 4; at < first + bytes; ++at) set_byte(marks, at, true, false);
}

void copy_marks(std::uint8_t* to, std::size_t to_first, const std::uint8_t* from, std::size_t from_first, std::size_t bytes) {
  if (to_first % 4 == 0 && from_first % 4 == 0 && bytes % 4 == 0) {
    std::memmove(to + to_first / 4, from + from_first / 4, bytes / 4);
    return;
  }
  const std::vector<std::uint8_t> kept(from + from_first / 4, from + (from_first + bytes + 3) / 4);
  for (std::size_t i = 0; i < bytes; ++i) {
    const std::size_t at = from_first % 4 + i;
    set_byte(to, to_first + i, (kept[at / 4] & bit(at)) != 0, (kept[at / 4] & (bit(at) << 4)) != 0);
  }
}

void for_each_written_by_kernel(const std::uint8_t* marks, std::size_t first, std::size_t bytes,
                                const std::function<void(std::size_t, std::size_t)>& visit) {
  const std::size_t end = first + bytes;
  std::size_t begin = end;  // of the part that is under way; `end`: none
  for (std::size_t at = first; at < end; ++at) {
    const bool written = (marks[at / 4] & (bit(at) << 4)) != 0;
    if (written && begin == end) begin = at;
    if (written || begin == end) continue;
    visit(begin, at - begin);
    begin = end;
  }
  if (begin != end) visit(begin, end - begin);
}

bool all_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes) {
  return every_word(marks, first, bytes, [](std::uint8_t found, std::uint8_t wanted) { return found == wanted; });
}

bool none_set(const std::uint8_t* marks, std::size_t first, std::size_t bytes) {
  return every_word(marks, first, bytes, [](std::uint8_t found, std::uint8_t) { return found == 0; });
}

void add_unset(UnsetElements& all, const Allocation& one, std::size_t first, std::size_t bytes, bool by_kernel) {
  const std::size_t width = all.element_bytes;
  const unsigned shift = by_kernel ? 4 : 0;
  for (std::size_t i = (first + width - 1) / width, end = (first + bytes) / width; i < end; ++i) {
    if (one.pitch != 0 && i * width % one.pitch + width > one.row_bytes) continue;
    ++all.looked_at;
    bool has_value = false;
    for (std::size_t at = i * width; at < (i + 1) * width && !has_value; ++at) has_value = (one.marks[at / 4] & (bit(at) << shift)) != 0;
    if (has_value) {
      all.has_end = false;
      continue;
    }
    if (all.count++ == 0) all.first = i, all.has_end = true;
    if (i == all.first + all.run) ++all.run;
  }
}

}  // namespace tilelab::program
