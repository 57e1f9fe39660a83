// Remembers tables that nothing may change while a kernel runs, and tells afterwards whether they are as they were: a second line of
// defence behind the proof that a submission announces all it does. It prevents nothing.
//
// What it remembers lies in memory that cannot be written until the launch is over.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <vector>

namespace tilelab::simt {

class SealedTables {
 public:
  SealedTables() = default;
  ~SealedTables() {
    if (sealed_ != nullptr) munmap(sealed_, sealed_bytes_);
  }
  SealedTables(const SealedTables&) = delete;
  SealedTables& operator=(const SealedTables&) = delete;

  void add(const void* first, std::size_t bytes) { spans_.push_back({static_cast<const unsigned char*>(first), bytes}); }
  template <typename Element>
  void add(const std::vector<Element>& table) {
    add(table.data(), table.size() * sizeof(Element));
  }

  // Throws std::bad_alloc.
  void seal() {
    sealed_bytes_ = sizeof(Seal) + spans_.size() * sizeof(Span);
    void* pages = mmap(nullptr, sealed_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    sealed_ = pages;
    const Seal seal{sum_of(spans_.data(), spans_.size()), spans_.size()};
    std::memcpy(sealed_, &seal, sizeof seal);
    std::memcpy(static_cast<char*>(sealed_) + sizeof seal, spans_.data(), spans_.size() * sizeof(Span));
    if (mprotect(sealed_, sealed_bytes_, PROT_READ) != 0) throw std::bad_alloc();
  }
  bool intact() const {
    if (sealed_ == nullptr) return true;
    const auto& seal = *static_cast<const Seal*>(sealed_);
    return sum_of(reinterpret_cast<const Span*>(static_cast<const char*>(sealed_) + sizeof seal), seal.count) == seal.sum;
  }

 private:
  struct Span {
    const unsigned char* first;
    std::size_t bytes;
  };
  struct Seal {
    std::uint64_t sum;
    std::size_t count;
  };
  // Not a keyed one: it is against accidents and hasty attacks. FNV-1a, over words.
  static std::uint64_t sum_of(const Span* spans, std::size_t count) {
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

  std::vector<Span> spans_;
  void* sealed_ = nullptr;  // a Seal and its spans
  std::size_t sealed_bytes_ = 0;
};

}  // namespace tilelab::simt
