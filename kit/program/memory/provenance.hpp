// Where results come from: what passes between host and device, and what a judge shows the host in its place.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/memory/device_memory.hpp"
#include "program/program_description.hpp"

namespace tilelab::program {

// Numbers, and those that take their places, by the bytes of a number.
using Replacements = std::map<std::size_t, std::unordered_map<std::uint64_t, std::uint64_t>>;

// Other numbers in place of a program's inputs, on their way to the device: what a judge uses to see whether a result follows from what the
// kernels were given. Numbers are known by their bits alone, so all of them must differ. What the host is shown: see HostReads.

class AlteredInputs {
 public:
  // Reads the files. Throws std::runtime_error.
  explicit AlteredInputs(const std::vector<AlterationDescription>& pairs);

  // The host has set the bytes [first, first + count) of `memory`, which has `size` bytes and begins at an aligned address.
  void to_device(char* memory, std::size_t first, std::size_t count, std::size_t size) const;

 private:
  Replacements to_device_;
};

// A file of records, written once, and hashes of what is in it: FNV-1a from a secret start. Who does not know it cannot make two contents
// alike.
class RecordFile {
 public:
  // An empty path: none. `what`: the file in words. Throws std::runtime_error, as all members do that write.
  RecordFile(const std::string& path, const char* what);
  explicit operator bool() const { return file_ != nullptr; }
  void write(const void* bytes, std::size_t count);
  void close();
  std::uint64_t hash(const char* content, std::size_t bytes) const;

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::string trouble_;
  std::unique_ptr<std::FILE, Closer> file_;
  std::uint64_t seed_ = 0;
};

// Keeps a record of the bytes that pass between host and device, for a judge that asks where a result came from. A file beside the report;
// `tilelab run` keeps none. What passes again and is still the same is not written again, but for arguments of kernels.

// Before the bytes of each record, as they lie in memory. Behind bytes that went to the host there is one bit for each, the lowest first:
// whether a kernel wrote it.
struct TransferHeader {
  std::uint64_t to_the_device = 0;  // 0: to the host
  std::uint64_t at = 0;             // where the program asked for the copy, or launched the kernel
  std::uint64_t address = 0;        // in the program's own memory; below 4096: the number of a kernel's argument
  std::uint64_t bytes = 0;
};

class TransferLog {
 public:
  // An empty path: nothing is kept. Throws std::runtime_error.
  explicit TransferLog(const std::string& path) : file_(path, "the record of copies") {}
  bool is_kept() const { return static_cast<bool>(file_); }
  bool is_whole() const { return is_whole_; }  // false: there was more than the record may hold

  void sent(std::uint64_t at, std::uint64_t address, const char* content, std::size_t bytes);
  // The bytes [offset, offset + bytes) of the allocation. `address`: where the first one goes to.
  void received(std::uint64_t at, std::uint64_t address, const Allocation& from, std::size_t offset, std::size_t bytes);
  // Everything is in the file. Throws std::runtime_error if it cannot be.
  void close() { file_.close(); }

 private:
  void write(const TransferHeader& header, const char* content, const std::string& bits = {});

  RecordFile file_;
  std::map<std::array<std::uint64_t, 3>, std::uint64_t> known_;  // the last content of each place: a hash
  std::size_t kept_ = 0;
  bool is_whole_ = true;
};

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
  void close() { file_.close(); }

 private:
  enum class Kind : std::uint64_t { copy, text, view };
  struct Header {
    Kind kind = Kind::copy;
    std::uint64_t at = 0;  // of a view: its number
    std::uint64_t allocation = 0, first = 0, bytes = 0;
    std::uint64_t same_as = 0;  // the place in the file of the same bytes; 0: they follow
  };
  void write(Header header, const char* seen);
  void read(const std::string& path);
  std::uint32_t new_tag();

  RecordFile file_;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> places_;  // of bytes in the file, by hash and number
  std::uint64_t written_ = 0;

  bool shows_ = false, carries_ = false, tagged_ = false;
  std::mt19937 tags_;
  std::string content_;                                                                // of the file that is shown
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::deque<const char*>> copies_;  // by place and number of bytes
  std::map<std::uint64_t, std::vector<Viewed>> views_;
  std::deque<std::string> texts_;
  Replacements carried_;  // words that were shown, and those that are there
  std::uint64_t view_ = 0;
  std::size_t learned_ = 0;
};

// Memory that host and device both use, as the host sees it. For a judge the two have files of their own, and bytes go from one to the
// other only between launches and copies: what the host writes while a kernel runs is not taken for the kernel's. Otherwise there is one
// file, and nothing to do.

class HostView {
 public:
  // Throws std::system_error, std::bad_alloc.
  HostView(DeviceMemory& memory, TransferLog& transfer_log, const AlteredInputs& altered, HostReads& reads);

  // The file that the program maps, at an allocation's own offset.
  int descriptor() const;
  // The memory is new: the host sees what the device sees.
  void open(const Allocation& one);
  // What the host has written since: the device has it too, and no kernel wrote it. `at`: what the program asks for now.
  void take_in(Allocation& one, std::uint64_t at);
  void take_in_all(std::uint64_t at);
  // What kernels wrote.
  void hand_out_all(std::uint64_t at);
  // What a copy or a fill wrote.
  void hand_out(Allocation& one, std::size_t first, std::size_t bytes, std::uint64_t at);

 private:
  static constexpr std::size_t piece = 4096;  // bytes that are looked at together
  bool is_apart(const Allocation& one) const { return file_ && one.file() == protocol::ProgramFile::shared; }

  // What the host sees if it has written nothing since.
  const char* last_shown(const Allocation& one) const { return shown_ ? shown_->memory() + one.offset : one.content; }
  void show_again(std::uint64_t at);

  DeviceMemory& memory_;
  TransferLog& transfers_;
  const AlteredInputs& altered_;
  HostReads& reads_;
  std::optional<MappedFile> file_;
  std::optional<MappedFile> shown_;  // where the host is shown another run's bytes: these, and what it wrote over them
};

}  // namespace tilelab::program
