// A sum over the tables' bytes, on pages of its own.
#include "simt/memory/sealed_tables.hpp"

#include <sys/mman.h>

#include <cstring>
#include <new>

namespace tilelab::simt {

SealedTables::~SealedTables() {
  if (sealed_ != nullptr) munmap(sealed_, sealed_bytes_);
}

void SealedTables::seal() {
  sealed_bytes_ = sizeof(Seal) + spans_.size() * sizeof(Span);
  void* pages = mmap(nullptr, sealed_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) throw std::bad_alloc();
  sealed_ = pages;
  const Seal seal{sum_of(spans_.data(), spans_.size()), spans_.size()};
  std::memcpy(sealed_, &seal, sizeof seal);
  std::memcpy(static_cast<char*>(sealed_) + sizeof seal, spans_.data(), spans_.size() * sizeof(Span));
  if (mprotect(sealed_, sealed_bytes_, PROT_READ) != 0) throw std::bad_alloc();
}

bool SealedTables::intact() const {
  if (sealed_ == nullptr) return true;
  const auto& seal = *static_cast<const Seal*>(sealed_);
  return sum_of(reinterpret_cast<const Span*>(static_cast<const char*>(sealed_) + sizeof seal), seal.count) == seal.sum;
}

// Not a keyed one: it is against accidents and hasty attacks. FNV-1a, over words.
std::uint64_t SealedTables::sum_of(const Span* spans, std::size_t count) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned char* at = spans[i].first;
    std::size_t left = spans[i].bytes;
    for (; left != 0;) {
      std::uint64_t word = 0;
      const std::size_t some = left < sizeof word ? left : sizeof word;
      std::memcpy(&word, at, some);
      sum = (sum ^ word) * 0x100000001b3;
      at += some;
      left -= some;
    }
  }
  return sum;
}

}  // namespace tilelab::simt
