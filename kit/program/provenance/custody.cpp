#include "program/provenance/custody.hpp"

#include <random>
#include <stdexcept>

#include "program/memory/value_marks.hpp"

namespace tilelab::program {
namespace {

constexpr std::size_t most_bytes = 256u << 20, most_places = 1u << 20;
constexpr std::uint64_t first_of_memory = 4096;  // lower ones number arguments

}  // namespace

Custody::Custody(const std::string& path) {
  if (path.empty()) return;
  std::random_device random;
  seed_ = std::uint64_t{random()} << 32 | random();
  file_.reset(std::fopen(path.c_str(), "wbe"));
  if (!file_) throw std::runtime_error("the record of copies cannot be written: " + path);
}

void Custody::sent(std::uint64_t at, std::uint64_t address, const char* content, std::size_t bytes) {
  if (is_kept()) write({1, at, address, bytes}, content);
}

void Custody::received(std::uint64_t at, std::uint64_t address, const Allocation& from, std::size_t offset, std::size_t bytes) {
  if (!is_kept()) return;
  std::string by_kernel((bytes + 7) / 8, '\0');
  for_each_written_by_kernel(from.marks, offset, bytes, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = first - offset; i < first - offset + count; ++i)
      by_kernel[i / 8] = static_cast<char>(by_kernel[i / 8] | (1 << (i % 8)));
  });
  write({0, at, address, bytes}, from.content + offset, by_kernel);
}

// FNV-1a from a secret start: who does not know it cannot make two contents alike.
std::uint64_t Custody::hash(const char* content, std::size_t bytes) const {
  std::uint64_t value = seed_;
  for (std::size_t i = 0; i < bytes; ++i) value = (value ^ static_cast<unsigned char>(content[i])) * 0x100000001b3;
  return value ^ (value >> 32);
}

void Custody::write(const CustodyHeader& header, const char* content, const std::string& bits) {
  if (header.bytes == 0 || !is_whole_) return;
  if (header.address >= first_of_memory && known_.size() < most_places) {
    const std::uint64_t now = hash(content, header.bytes) * 31 + hash(bits.data(), bits.size());
    const auto [place, is_new] = known_.try_emplace({header.to_the_device, header.address, header.bytes}, now);
    if (!is_new && place->second == now) return;
    place->second = now;
  }
  kept_ += sizeof header + header.bytes + bits.size();
  is_whole_ = kept_ <= most_bytes;
  if (!is_whole_) return;
  const bool done = std::fwrite(&header, sizeof header, 1, file_.get()) == 1 &&
                    std::fwrite(content, 1, header.bytes, file_.get()) == header.bytes &&
                    std::fwrite(bits.data(), 1, bits.size(), file_.get()) == bits.size();
  if (!done) throw std::runtime_error("the record of copies cannot be written");
}

void Custody::close() {
  if (file_ && std::fflush(file_.get()) != 0) throw std::runtime_error("the record of copies cannot be written");
  file_.reset();
}

}  // namespace tilelab::program
