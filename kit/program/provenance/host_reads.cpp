#include "program/provenance/host_reads.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <stdexcept>

namespace tilelab::program {
namespace {

constexpr std::size_t most_read_bytes = 256u << 20;  // what does not fit is shown as if there had been nothing
constexpr std::size_t word = 4, most_carried = 1u << 24;

}  // namespace

HostReads::HostReads(const std::string& keep, const std::string& show, bool carries, bool tagged)
    : shows_(!show.empty()), carries_(carries), tagged_(tagged), tags_(std::random_device{}()) {
  if (shows_) read(show);
  if (shows_ || keep.empty()) return;
  std::random_device random;
  seed_ = std::uint64_t{random()} << 32 | random();
  file_.reset(std::fopen(keep.c_str(), "wbe"));
  if (!file_) throw std::runtime_error("what the host reads cannot be written down: " + keep);
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
  for (std::size_t at = 0; at + word <= bytes && carried_.size() < most_carried; at += word) {
    std::uint32_t known = 0, arrives = 0;
    std::memcpy(&known, seen + at, word);
    std::memcpy(&arrives, real.data() + at, word);
    if (tagged_) {
      known = new_tag();
      std::memcpy(shown + at, &known, word);
    }
    if (known != 0) carried_[known] = arrives;
  }
}

// A number like any other, as fp32 and as an integer. A host cannot tell what it stands for, since it is drawn without looking at that.
std::uint32_t HostReads::new_tag() {
  constexpr std::uint32_t smallest = 0x3F80'0000, count = 0x0800'0000;  // fp32 from 1 to 65536
  for (;;) {
    const std::uint32_t tag = smallest + static_cast<std::uint32_t>(tags_() % count);
    if ((tag & 0xFFF) != 0 && !carried_.contains(tag)) return tag;  // programs have round numbers of their own
  }
}

void HostReads::carry(char* memory, std::size_t first, std::size_t count, std::size_t size) const {
  if (carried_.empty()) return;
  const std::size_t end = std::min(size, first + count);
  for (std::size_t at = first - first % word; at + word <= end; at += word) {
    std::uint32_t sent = 0;
    std::memcpy(&sent, memory + at, word);
    if (const auto found = carried_.find(sent); found != carried_.end()) std::memcpy(memory + at, &found->second, word);
  }
}

// FNV-1a from a secret start: who does not know it cannot make two contents alike.
std::uint64_t HostReads::hash(const char* seen, std::size_t bytes) const {
  std::uint64_t value = seed_;
  for (std::size_t i = 0; i < bytes; ++i) value = (value ^ static_cast<unsigned char>(seen[i])) * 0x100000001b3;
  return value ^ (value >> 32);
}

void HostReads::write(Header header, const char* seen) {
  if (!file_ || header.bytes == 0 || written_ + sizeof header + header.bytes > most_read_bytes) return;
  const auto [place, is_new] = places_.try_emplace({hash(seen, header.bytes), header.bytes}, written_ + sizeof header);
  if (!is_new) header.same_as = place->second;
  const std::size_t bytes = is_new ? header.bytes : 0;
  if (std::fwrite(&header, sizeof header, 1, file_.get()) != 1 || std::fwrite(seen, 1, bytes, file_.get()) != bytes)
    throw std::runtime_error("what the host reads cannot be written down");
  written_ += sizeof header + bytes;
}

void HostReads::read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("what the host read cannot be read: " + path);
  content_.assign(std::istreambuf_iterator<char>(file), {});
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

void HostReads::close() {
  if (!file_) return;
  const bool done = std::fflush(file_.get()) == 0;
  file_.reset();
  if (!done) throw std::runtime_error("what the host reads cannot be written down");
}

}  // namespace tilelab::program
