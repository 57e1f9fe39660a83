// Remembers tables that nothing may change while a kernel runs, and tells afterwards whether they are as they were: a second line of
// defence behind the proof that a submission announces all it does. It prevents nothing.
//
// What it remembers lies in memory that cannot be written until the launch is over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilelab::simt {

class SealedTables {
 public:
  SealedTables() = default;
  ~SealedTables();
  SealedTables(const SealedTables&) = delete;
  SealedTables& operator=(const SealedTables&) = delete;

  void add(const void* first, std::size_t bytes) { spans_.push_back({static_cast<const unsigned char*>(first), bytes}); }
  template <typename Element>
  void add(const std::vector<Element>& table) {
    add(table.data(), table.size() * sizeof(Element));
  }

  void seal();  // throws std::bad_alloc
  bool intact() const;

 private:
  struct Span {
    const unsigned char* first;
    std::size_t bytes;
  };
  struct Seal {
    std::uint64_t sum;
    std::size_t count;
  };
  static std::uint64_t sum_of(const Span* spans, std::size_t count);

  std::vector<Span> spans_;
  void* sealed_ = nullptr;  // a Seal and its spans
  std::size_t sealed_bytes_ = 0;
};

}  // namespace tilelab::simt
