// A list that grows at its end and whose elements keep their addresses. A deque of the standard library takes memory for a few of them at a
// time, which costs more than what is kept there.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace tilelab::simt {

template <typename Element>
class ChunkedList {
 public:
  explicit ChunkedList(std::size_t size = 0) { resize(size); }
  std::size_t size() const { return size_; }
  Element& operator[](std::size_t i) { return chunks_[i / chunk][i % chunk]; }
  const Element& operator[](std::size_t i) const { return chunks_[i / chunk][i % chunk]; }
  Element& emplace_back() {
    if (size_ == chunks_.size() * chunk) chunks_.push_back(std::make_unique<Element[]>(chunk));
    return (*this)[size_++] = Element{};
  }
  void resize(std::size_t size) {
    while (size_ < size) emplace_back();
    size_ = size;
  }

 private:
  static constexpr std::size_t chunk = 256;  // elements
  std::vector<std::unique_ptr<Element[]>> chunks_;
  std::size_t size_ = 0;
};

}  // namespace tilelab::simt
