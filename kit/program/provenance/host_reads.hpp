// What the host learns of the device's memory: by copies, in memory that both use, by what kernels print. One run of a program writes it
// down; another run, on other numbers, shows the host the same again. Then the host knows nothing of the numbers that are on the device, in
// whatever way it was going to hand on what it knows. A result that is right nevertheless was computed by kernels.
//
// What is shown: for each copy, what a copy of that size at that place of the program brought, in the order of the copies; zeros where
// there is no such copy. What the time that a kernel takes tells the host is not hidden.
//
// A host may carry numbers from one kernel to the next without computing with them. `carries`: a word that it was shown and sends back
// arrives as the word that is on the device in its place. `tagged`: it is shown no bytes of the other run, but random words, of which no
// two are alike. So a host that also sends words of its own, such as the zeros around a picture, carries what it was shown and nothing
// else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tilelab::program {

class HostReads {
 public:
  // `keep`: the file to be written; `show`: one that an earlier run wrote. At most one of them is not empty. Throws std::runtime_error.
  HostReads(const std::string& keep, const std::string& show, bool carries, bool tagged = false);
  bool shows() const { return shows_; }
  // Bytes in all that the host has learned.
  std::size_t learned() const { return learned_; }
  // Something else that tells it `bytes` of them.
  void noticed(std::size_t bytes) { learned_ += bytes; }

  // `seen` is what the host is given of a copy that it asked for at `at`.
  void copied(std::uint64_t at, char* seen, std::size_t bytes);
  // Text that kernels printed. Returns what the host is given.
  std::string printed(std::string text);

  // Memory that both use. next_view() begins what the host sees after the next launch or copy.
  void next_view() { ++view_; }
  // It sees these bytes at `first` in the allocation with this index.
  void viewed(std::size_t allocation, std::size_t first, const char* seen, std::size_t bytes);
  struct Viewed {
    std::size_t allocation = 0, first = 0;
    const char* seen = nullptr;
    std::size_t bytes = 0;
  };
  // What the other run's host saw there.
  std::vector<Viewed> shown_view() const;

  // Writes to `shown` what the host is shown instead of `there`: `seen`, or tags. `shown` may be `there`.
  void exchange(char* shown, const char* seen, const char* there, std::size_t bytes);
  // The host has set the bytes [first, first + count) of `memory`, which has `size` bytes and begins at an aligned address.
  void carry(char* memory, std::size_t first, std::size_t count, std::size_t size) const;

  // Everything is in the file. Throws std::runtime_error if it cannot be.
  void close();

 private:
  enum class Kind : std::uint64_t { copy, text, view };
  struct Header {
    Kind kind = Kind::copy;
    std::uint64_t at = 0;  // of a view: its number
    std::uint64_t allocation = 0, first = 0, bytes = 0;
    std::uint64_t same_as = 0;  // the place in the file of the same bytes; 0: they follow
  };
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write(Header header, const char* seen);
  void read(const std::string& path);
  std::uint64_t hash(const char* seen, std::size_t bytes) const;
  std::uint32_t new_tag();

  std::unique_ptr<std::FILE, Closer> file_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> places_;  // of bytes in the file, by hash and number
  std::uint64_t seed_ = 0, written_ = 0;

  bool shows_ = false, carries_ = false, tagged_ = false;
  std::mt19937 tags_;
  std::string content_;                                                                // of the file that is shown
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::deque<const char*>> copies_;  // by place and number of bytes
  std::map<std::uint64_t, std::vector<Viewed>> views_;
  std::deque<std::string> texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> carried_;  // words that were shown, and those that are there
  std::uint64_t view_ = 0;
  std::size_t learned_ = 0;
};

}  // namespace tilelab::program
