// Implements provenance.hpp.
#include "program/memory/provenance.hpp"

#include <algorithm>
#include <cstring>
#include <ranges>
#include <stdexcept>

#include "protocol/json/json_text.hpp"

namespace tilelab::program {
namespace {

constexpr std::size_t widest = 8;  // bytes of a number

std::uint64_t bits_at(const char* place, std::size_t bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, place, bytes);
  return bits;
}

// `bytes` begins at position `first`. A number that is not whole in it stays.
void replace(const Replacements& all, char* bytes, std::size_t first, std::size_t count) {
  for (const auto& [width, numbers] : all | std::views::reverse) {
    for (std::size_t at = (width - first % width) % width; at + width <= count; at += width) {
      const auto found = numbers.find(bits_at(bytes + at, width));
      if (found != numbers.end()) std::memcpy(bytes + at, &found->second, width);
    }
  }
}

constexpr std::size_t most_bytes = 256u << 20, most_places = 1u << 20;
constexpr std::uint64_t first_of_memory = 4096;  // lower ones number arguments

constexpr std::size_t most_read_bytes = 256u << 20;  // what does not fit is shown as if there had been nothing
constexpr std::size_t word = 4, most_carried = 1u << 24;

}  // namespace

AlteredInputs::AlteredInputs(const std::vector<AlterationDescription>& pairs) {
  for (const AlterationDescription& pair : pairs) {
    const std::string from = content_of(pair.from), to = content_of(pair.to);
    const std::size_t width = pair.element_bytes;
    if (width == 0 || width > widest || widest % width != 0) throw std::runtime_error("numbers of an impossible size are to be replaced");
    if (from.size() != to.size() || from.size() % width != 0)
      throw std::runtime_error(pair.to + " does not hold one number for each of " + pair.from);
    for (std::size_t at = 0; at < from.size(); at += width) {
      const std::uint64_t old = bits_at(from.data() + at, width), now = bits_at(to.data() + at, width);
      if (!to_device_[width].try_emplace(old, now).second) throw std::runtime_error("a number that is to be replaced is there twice");
    }
  }
}

void AlteredInputs::to_device(char* memory, std::size_t first, std::size_t count, std::size_t size) const {
  if (to_device_.empty()) return;
  const std::size_t begin = first - first % widest;  // a copy may bring the rest of a number
  const std::size_t end = std::min(size, (first + count + widest - 1) / widest * widest);
  replace(to_device_, memory + begin, begin, end - begin);
}

RecordFile::RecordFile(const std::string& path, const char* what) : trouble_(std::string(what) + " cannot be written") {
  if (path.empty()) return;
  std::random_device random;
  seed_ = std::uint64_t{random()} << 32 | random();
  file_.reset(std::fopen(path.c_str(), "wbe"));
  if (!file_) throw std::runtime_error(trouble_ + ": " + path);
}

void RecordFile::write(const void* bytes, std::size_t count) {
  if (std::fwrite(bytes, 1, count, file_.get()) != count) throw std::runtime_error(trouble_);
}

void RecordFile::close() {
  if (file_ && std::fflush(file_.get()) != 0) throw std::runtime_error(trouble_);
  file_.reset();
}

std::uint64_t RecordFile::hash(const char* content, std::size_t bytes) const {
  std::uint64_t value = seed_;
  for (std::size_t i = 0; i < bytes; ++i) value = (value ^ static_cast<unsigned char>(content[i])) * 0x100000001b3;
  return value ^ (value >> 32);
}

void TransferLog::sent(std::uint64_t at, std::uint64_t address, const char* content, std::size_t bytes) {
  if (is_kept()) write({1, at, address, bytes}, content);
}

void TransferLog::received(std::uint64_t at, std::uint64_t address, const Allocation& from, std::size_t offset, std::size_t bytes) {
  if (!is_kept()) return;
  std::string by_kernel((bytes + 7) / 8, '\0');
  for_each_written_by_kernel(from.marks, offset, bytes, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first - offset; i < first - offset + count; ++i)
      by_kernel[i / 8] = static_cast<char>(by_kernel[i / 8] | (1 << (i % 8)));
  });
  write({0, at, address, bytes}, from.content + offset, by_kernel);
}

void TransferLog::write(const TransferHeader& header, const char* content, const std::string& bits) {
  if (header.bytes == 0 || !is_whole_) return;
  if (header.address >= first_of_memory && known_.size() < most_places) {
    const std::uint64_t now = file_.hash(content, header.bytes) * 31 + file_.hash(bits.data(), bits.size());
    const auto [place, is_new] = known_.try_emplace({header.to_the_device, header.address, header.bytes}, now);
    if (!is_new && place->second == now) return;
    place->second = now;
  }
  kept_ += sizeof header + header.bytes + bits.size();
  is_whole_ = kept_ <= most_bytes;
  if (!is_whole_) return;
  file_.write(&header, sizeof header);
  file_.write(content, header.bytes);
  file_.write(bits.data(), bits.size());
}

HostReads::HostReads(const std::string& keep, const std::string& show, bool carries, bool tagged)
    : file_(show.empty() ? keep : std::string(), "what the host reads"), shows_(!show.empty()), carries_(carries), tagged_(tagged),
      tags_(std::random_device{}()) {
  if (shows_) read(show);
}

void HostReads::copied(std::uint64_t at, char* seen, std::size_t bytes) {
  learned_ += bytes;
  if (!shows_) return write({.kind = Kind::copy, .at = at, .bytes = bytes}, seen);
  const auto found = copies_.find({at, bytes});
  if (found == copies_.end() || found->second.empty()) {
    std::memset(seen, 0, bytes);
    return;
  }
  exchange(seen, found->second.front(), seen, bytes);
  found->second.pop_front();
}

std::string HostReads::printed(std::string text) {
  learned_ += text.size();
  if (!shows_) {
    write({.kind = Kind::text, .bytes = text.size()}, text.data());
    return text;
  }
  if (texts_.empty()) return {};
  std::string shown = std::move(texts_.front());
  texts_.pop_front();
  return shown;
}

void HostReads::viewed(std::size_t allocation, std::size_t first, const char* seen, std::size_t bytes) {
  learned_ += bytes;
  write({.kind = Kind::view, .at = view_, .allocation = allocation, .first = first, .bytes = bytes}, seen);
}

std::vector<HostReads::Viewed> HostReads::shown_view() const {
  const auto found = views_.find(view_);
  return found == views_.end() ? std::vector<Viewed>() : found->second;
}

// Zero is sent for too many other reasons, unless it is no word of the other run. Of words that were shown more than once, the last counts.
void HostReads::exchange(char* shown, const char* seen, const char* there, std::size_t bytes) {
  const std::vector<char> real(there, carries_ ? there + bytes : there);
  std::memcpy(shown, seen, bytes);
  if (!carries_) return;
  auto& carried = carried_[word];
  for (std::size_t at = 0; at + word <= bytes && carried.size() < most_carried; at += word) {
    std::uint32_t known = 0, arrives = 0;
    std::memcpy(&known, seen + at, word);
    std::memcpy(&arrives, real.data() + at, word);
    if (tagged_) {
      known = new_tag();
      std::memcpy(shown + at, &known, word);
    }
    if (known != 0) carried[known] = arrives;
  }
}

// A number like any other, as fp32 and as an integer. A host cannot tell what it stands for, since it is drawn without looking at that.
std::uint32_t HostReads::new_tag() {
  constexpr std::uint32_t smallest = 0x3F80'0000, count = 0x0800'0000;  // fp32 from 1 to 65536
  for (;;) {
    const std::uint32_t tag = smallest + static_cast<std::uint32_t>(tags_() % count);
    if ((tag & 0xFFF) != 0 && !carried_[word].contains(tag)) return tag;  // programs have round numbers of their own
  }
}

void HostReads::carry(char* memory, std::size_t first, std::size_t count, std::size_t size) const {
  if (carried_.empty()) return;
  const std::size_t begin = first - first % word;
  replace(carried_, memory + begin, begin, std::min(size, first + count) - begin);
}

void HostReads::write(Header header, const char* seen) {
  if (!file_ || header.bytes == 0 || written_ + sizeof header + header.bytes > most_read_bytes) return;
  const auto [place, is_new] = places_.try_emplace({file_.hash(seen, header.bytes), header.bytes}, written_ + sizeof header);
  if (!is_new) header.same_as = place->second;
  const std::size_t bytes = is_new ? header.bytes : 0;
  file_.write(&header, sizeof header);
  file_.write(seen, bytes);
  written_ += sizeof header + bytes;
}

void HostReads::read(const std::string& path) {
  content_ = content_of(path);
  for (std::size_t at = 0; at < content_.size();) {
    Header header;
    if (content_.size() - at < sizeof header) throw std::runtime_error("what the host read is cut short");
    std::memcpy(&header, content_.data() + at, sizeof header);
    at += sizeof header;
    const std::size_t place = header.same_as != 0 ? header.same_as : at;
    if (place > content_.size() || header.bytes > content_.size() - place) throw std::runtime_error("what the host read is cut short");
    if (header.same_as == 0) at += header.bytes;
    const char* const seen = content_.data() + place;
    switch (header.kind) {
      case Kind::copy: copies_[{header.at, header.bytes}].push_back(seen); break;
      case Kind::text: texts_.emplace_back(seen, header.bytes); break;
      case Kind::view: views_[header.at].push_back({header.allocation, header.first, seen, header.bytes}); break;
    }
  }
}

HostView::HostView(DeviceMemory& memory, TransferLog& transfer_log, const AlteredInputs& altered, HostReads& reads)
    : memory_(memory), transfers_(transfer_log), altered_(altered), reads_(reads) {
  if (transfer_log.is_kept()) file_.emplace("tilelab-host", memory.total_bytes());
  if (transfer_log.is_kept() && reads.shows()) shown_.emplace("tilelab-shown", memory.total_bytes());
}

int HostView::descriptor() const {
  return file_ ? file_->descriptor() : memory_.files()[static_cast<std::size_t>(protocol::ProgramFile::shared)];
}

void HostView::open(const Allocation& one) {
  if (!is_apart(one)) return;
  for (const std::optional<MappedFile>* file : {&file_, &shown_}) {
    if (!*file) continue;
    (*file)->forget(one.offset, (one.bytes + piece - 1) / piece * piece);
    std::memcpy((*file)->memory() + one.offset, one.content, one.bytes);
  }
}

// The program may write at any time, so each byte is read once.
void HostView::take_in(Allocation& one, std::uint64_t at) {
  if (!is_apart(one)) return;
  char now[piece];
  const char* const before = last_shown(one);
  for (std::size_t first = 0; first < one.bytes; first += piece) {
    const std::size_t bytes = std::min(piece, one.bytes - first);
    std::memcpy(now, file_->memory() + one.offset + first, bytes);
    if (std::memcmp(now, before + first, bytes) == 0) continue;
    std::size_t begin = bytes, end = 0;
    for (std::size_t i = 0; i < bytes; ++i) {
      if (now[i] == before[first + i]) continue;
      one.content[first + i] = now[i];
      if (shown_) shown_->memory()[one.offset + first + i] = now[i];
      mark_as_set(one.marks, first + i, 1);
      begin = std::min(begin, i);
      end = i + 1;
    }
    begin -= begin % widest;  // the lowest bytes of a number may be what they were
    end = std::min(bytes, (end + widest - 1) / widest * widest);
    transfers_.sent(at, one.address + first + begin, one.content + first + begin, end - begin);
    reads_.carry(one.content, first + begin, end - begin, one.bytes);
    altered_.to_device(one.content, first + begin, end - begin, one.bytes);
  }
}

void HostView::take_in_all(std::uint64_t at) {
  if (!file_) return;
  memory_.for_each_live([&](Allocation& one) { take_in(one, at); });
}

// Another run's bytes in place of those that are there.
void HostView::show_again(std::uint64_t at) {
  std::map<std::size_t, Allocation*> all;
  memory_.for_each_live([&](Allocation& one) {
    if (!is_apart(one)) return;
    all[one.index] = &one;
    for (std::size_t first = 0; first < one.bytes; first += piece)  // what is on record are the true ones
      transfers_.received(at, one.address + first, one, first, std::min(piece, one.bytes - first));
  });
  for (const HostReads::Viewed& part : reads_.shown_view()) {
    const auto found = all.find(part.allocation);
    if (found == all.end() || part.first > found->second->bytes || part.bytes > found->second->bytes - part.first) continue;
    const std::size_t place = found->second->offset + part.first;
    reads_.exchange(shown_->memory() + place, part.seen, found->second->content + part.first, part.bytes);
    std::memcpy(file_->memory() + place, shown_->memory() + place, part.bytes);
  }
}

void HostView::hand_out_all(std::uint64_t at) {
  if (!file_) return;
  reads_.next_view();
  if (shown_) return show_again(at);
  memory_.for_each_live([&](Allocation& one) {
    if (!is_apart(one)) return;
    char* const host = file_->memory() + one.offset;
    bool is_changed = false;
    for (std::size_t first = 0; first < one.bytes; first += piece) {
      const std::size_t bytes = std::min(piece, one.bytes - first);
      if (std::memcmp(host + first, one.content + first, bytes) == 0) continue;
      for_each_written_by_kernel(one.marks, first, bytes, [&](std::size_t begin, std::size_t count) {
        std::memcpy(host + begin, one.content + begin, count);
        reads_.viewed(one.index, begin, host + begin, count);
      });
      if (one.is_on_record) transfers_.received(at, one.address + first, one, first, bytes);
      is_changed = true;
    }
    if (!is_changed || one.is_on_record) return;
    transfers_.received(at, one.address, one, 0, one.bytes);  // from now on only what changes
    one.is_on_record = true;
  });
}

void HostView::hand_out(Allocation& one, std::size_t first, std::size_t bytes, std::uint64_t at) {
  if (!is_apart(one)) return;
  reads_.next_view();
  if (shown_) return show_again(at);
  std::memcpy(file_->memory() + one.offset + first, one.content + first, bytes);
  reads_.viewed(one.index, first, one.content + first, bytes);
  transfers_.received(at, one.address + first, one, first, bytes);
}

}  // namespace tilelab::program
