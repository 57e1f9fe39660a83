// Where results come from: what passes between host and device, and what a judge shows the host in its place.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/memory/device_memory.hpp"
#include "program/program_description.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab::program {

// Numbers, and those that take their places, by the bytes of a number.
struct Replacements : std::map<std::size_t, std::unordered_map<std::uint64_t, std::uint64_t>> {
  static constexpr std::size_t widest = 8;  // bytes of a number

  static std::uint64_t bits_at(const char* place, std::size_t bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, place, bytes);
    return bits;
  }
  // `bytes` begins at position `first`. A number that is not whole in it stays.
  void replace(char* bytes, std::size_t first, std::size_t count) const {
    for (const auto& [width, numbers] : *this | std::views::reverse) {
      for (std::size_t at = (width - first % width) % width; at + width <= count; at += width) {
        const auto found = numbers.find(bits_at(bytes + at, width));
        if (found != numbers.end()) std::memcpy(bytes + at, &found->second, width);
      }
    }
  }
};

// Other numbers in place of a program's inputs, on their way to the device: what a judge uses to see whether a result follows from what the
// kernels were given. Numbers are known by their bits alone, so all of them must differ. What the host is shown: see HostReads.

class AlteredInputs {
 public:
  // Reads the files. Throws std::runtime_error.
  explicit AlteredInputs(const std::vector<AlterationDescription>& pairs) {
    for (const AlterationDescription& pair : pairs) {
      const std::string from = content_of(pair.from), to = content_of(pair.to);
      const std::size_t width = pair.element_bytes;
      if (width == 0 || width > Replacements::widest || Replacements::widest % width != 0)
        throw std::runtime_error("numbers of an impossible size are to be replaced");
      if (from.size() != to.size() || from.size() % width != 0)
        throw std::runtime_error(pair.to + " does not hold one number for each of " + pair.from);
      for (std::size_t at = 0; at < from.size(); at += width) {
        const std::uint64_t old = Replacements::bits_at(from.data() + at, width), now = Replacements::bits_at(to.data() + at, width);
        if (!to_device_[width].try_emplace(old, now).second) throw std::runtime_error("a number that is to be replaced is there twice");
      }
    }
  }

  // The host has set the bytes [first, first + count) of `memory`, which has `size` bytes and begins at an aligned address.
  void to_device(char* memory, std::size_t first, std::size_t count, std::size_t size) const {
    if (to_device_.empty()) return;
    const std::size_t begin = first - first % Replacements::widest;  // a copy may bring the rest of a number
    const std::size_t end = std::min(size, (first + count + Replacements::widest - 1) / Replacements::widest * Replacements::widest);
    to_device_.replace(memory + begin, begin, end - begin);
  }

 private:
  Replacements to_device_;
};

// A file of records, written once, and hashes of what is in it: FNV-1a from a secret start. Who does not know it cannot make two contents
// alike.
class RecordFile {
 public:
  // An empty path: none. `what`: the file in words. Throws std::runtime_error, as all members do that write.
  RecordFile(const std::string& path, const char* what) : trouble_(std::string(what) + " cannot be written") {
    if (path.empty()) return;
    std::random_device random;
    seed_ = std::uint64_t{random()} << 32 | random();
    file_.reset(std::fopen(path.c_str(), "wbe"));
    if (!file_) throw std::runtime_error(trouble_ + ": " + path);
  }
  explicit operator bool() const { return file_ != nullptr; }
  void write(const void* bytes, std::size_t count) {
    if (std::fwrite(bytes, 1, count, file_.get()) != count) throw std::runtime_error(trouble_);
  }
  void close() {
    if (file_ && std::fflush(file_.get()) != 0) throw std::runtime_error(trouble_);
    file_.reset();
  }
  std::uint64_t hash(const char* content, std::size_t bytes) const {
    std::uint64_t value = seed_;
    for (std::size_t i = 0; i < bytes; ++i) value = (value ^ static_cast<unsigned char>(content[i])) * 0x100000001b3;
    return value ^ (value >> 32);
  }

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

  void sent(std::uint64_t at, std::uint64_t address, const char* content, std::size_t bytes) {
    if (is_kept()) write({1, at, address, bytes}, content);
  }
  // The bytes [offset, offset + bytes) of the allocation. `address`: where the first one goes to.
  void received(std::uint64_t at, std::uint64_t address, const Allocation& from, std::size_t offset, std::size_t bytes) {
    if (!is_kept()) return;
    std::string by_kernel((bytes + 7) / 8, '\0');
    for_each_written_by_kernel(from.marks, offset, bytes, [&](std::size_t first, std::size_t count) {
      for (std::size_t i = first - offset; i < first - offset + count; ++i)
        by_kernel[i / 8] = static_cast<char>(by_kernel[i / 8] | (1 << (i % 8)));
    });
    write({0, at, address, bytes}, from.content + offset, by_kernel);
  }
  // Everything is in the file. Throws std::runtime_error if it cannot be.
  void close() { file_.close(); }

 private:
  static constexpr std::size_t most_bytes = 256u << 20, most_places = 1u << 20;
  static constexpr std::uint64_t first_of_memory = 4096;  // lower ones number arguments
  void write(const TransferHeader& header, const char* content, const std::string& bits = {}) {
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
  HostReads(const std::string& keep, const std::string& show, bool carries, bool tagged = false)
      : file_(show.empty() ? keep : std::string(), "what the host reads"), shows_(!show.empty()), carries_(carries), tagged_(tagged),
        tags_(std::random_device{}()) {
    if (shows_) read(show);
  }
  bool shows() const { return shows_; }
  // Bytes in all that the host has learned.
  std::size_t learned() const { return learned_; }
  // Something else that tells it `bytes` of them.
  void noticed(std::size_t bytes) { learned_ += bytes; }

  // `seen` is what the host is given of a copy that it asked for at `at`.
  void copied(std::uint64_t at, char* seen, std::size_t bytes) {
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
  // Text that kernels printed. Returns what the host is given.
  std::string printed(std::string text) {
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

  // Memory that both use. next_view() begins what the host sees after the next launch or copy.
  void next_view() { ++view_; }
  // It sees these bytes at `first` in the allocation with this index.
  void viewed(std::size_t allocation, std::size_t first, const char* seen, std::size_t bytes) {
    learned_ += bytes;
    write({.kind = Kind::view, .at = view_, .allocation = allocation, .first = first, .bytes = bytes}, seen);
  }
  struct Viewed {
    std::size_t allocation = 0, first = 0;
    const char* seen = nullptr;
    std::size_t bytes = 0;
  };
  // What the other run's host saw there.
  std::vector<Viewed> shown_view() const {
    const auto found = views_.find(view_);
    return found == views_.end() ? std::vector<Viewed>() : found->second;
  }

  // Writes to `shown` what the host is shown instead of `there`: `seen`, or tags. `shown` may be `there`.
  // Zero is sent for too many other reasons, unless it is no word of the other run. Of words that were shown more than once, the last
  // counts.
  void exchange(char* shown, const char* seen, const char* there, std::size_t bytes) {
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
  // The host has set the bytes [first, first + count) of `memory`, which has `size` bytes and begins at an aligned address.
  void carry(char* memory, std::size_t first, std::size_t count, std::size_t size) const {
    if (carried_.empty()) return;
    const std::size_t begin = first - first % word;
    carried_.replace(memory + begin, begin, std::min(size, first + count) - begin);
  }

  // Everything is in the file. Throws std::runtime_error if it cannot be.
  void close() { file_.close(); }

 private:
  static constexpr std::size_t most_read_bytes = 256u << 20;  // what does not fit is shown as if there had been nothing
  static constexpr std::size_t word = 4, most_carried = 1u << 24;
  enum class Kind : std::uint64_t { copy, text, view };
  struct Header {
    Kind kind = Kind::copy;
    std::uint64_t at = 0;  // of a view: its number
    std::uint64_t allocation = 0, first = 0, bytes = 0;
    std::uint64_t same_as = 0;  // the place in the file of the same bytes; 0: they follow
  };
  void write(Header header, const char* seen) {
    if (!file_ || header.bytes == 0 || written_ + sizeof header + header.bytes > most_read_bytes) return;
    const auto [place, is_new] = places_.try_emplace({file_.hash(seen, header.bytes), header.bytes}, written_ + sizeof header);
    if (!is_new) header.same_as = place->second;
    const std::size_t bytes = is_new ? header.bytes : 0;
    file_.write(&header, sizeof header);
    file_.write(seen, bytes);
    written_ += sizeof header + bytes;
  }
  void read(const std::string& path) {
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
  // A number like any other, as fp32 and as an integer. A host cannot tell what it stands for, since it is drawn without looking at that.
  std::uint32_t new_tag() {
    constexpr std::uint32_t smallest = 0x3F80'0000, count = 0x0800'0000;  // fp32 from 1 to 65536
    for (;;) {
      const std::uint32_t tag = smallest + static_cast<std::uint32_t>(tags_() % count);
      if ((tag & 0xFFF) != 0 && !carried_[word].contains(tag)) return tag;  // programs have round numbers of their own
    }
  }

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
  HostView(DeviceMemory& memory, TransferLog& transfer_log, const AlteredInputs& altered, HostReads& reads)
      : memory_(memory), transfers_(transfer_log), altered_(altered), reads_(reads) {
    if (transfer_log.is_kept()) file_.emplace("tilelab-host", memory.total_bytes());
    if (transfer_log.is_kept() && reads.shows()) shown_.emplace("tilelab-shown", memory.total_bytes());
  }

  // The file that the program maps, at an allocation's own offset.
  int descriptor() const { return file_ ? file_->descriptor() : memory_.files()[static_cast<std::size_t>(protocol::ProgramFile::shared)]; }
  // The memory is new: the host sees what the device sees.
  void open(const Allocation& one) {
    if (!is_apart(one)) return;
    for (const std::optional<MappedFile>* file : {&file_, &shown_}) {
      if (!*file) continue;
      (*file)->forget(one.offset, (one.bytes + piece - 1) / piece * piece);
      std::memcpy((*file)->memory() + one.offset, one.content, one.bytes);
    }
  }
  // What the host has written since: the device has it too, and no kernel wrote it. `at`: what the program asks for now.
  // The program may write at any time, so each byte is read once.
  void take_in(Allocation& one, std::uint64_t at) {
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
      begin -= begin % Replacements::widest;  // the lowest bytes of a number may be what they were
      end = std::min(bytes, (end + Replacements::widest - 1) / Replacements::widest * Replacements::widest);
      transfers_.sent(at, one.address + first + begin, one.content + first + begin, end - begin);
      reads_.carry(one.content, first + begin, end - begin, one.bytes);
      altered_.to_device(one.content, first + begin, end - begin, one.bytes);
    }
  }
  void take_in_all(std::uint64_t at) {
    if (!file_) return;
    memory_.for_each_live([&](Allocation& one) { take_in(one, at); });
  }
  // What kernels wrote.
  void hand_out_all(std::uint64_t at) {
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
  // What a copy or a fill wrote.
  void hand_out(Allocation& one, std::size_t first, std::size_t bytes, std::uint64_t at) {
    if (!is_apart(one)) return;
    reads_.next_view();
    if (shown_) return show_again(at);
    std::memcpy(file_->memory() + one.offset + first, one.content + first, bytes);
    reads_.viewed(one.index, first, one.content + first, bytes);
    transfers_.received(at, one.address + first, one, first, bytes);
  }

 private:
  static constexpr std::size_t piece = 4096;  // bytes that are looked at together
  bool is_apart(const Allocation& one) const { return file_ && one.file() == protocol::ProgramFile::shared; }

  // What the host sees if it has written nothing since.
  const char* last_shown(const Allocation& one) const { return shown_ ? shown_->memory() + one.offset : one.content; }
  // Another run's bytes in place of those that are there.
  void show_again(std::uint64_t at) {
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

  DeviceMemory& memory_;
  TransferLog& transfers_;
  const AlteredInputs& altered_;
  HostReads& reads_;
  std::optional<MappedFile> file_;
  std::optional<MappedFile> shown_;  // where the host is shown another run's bytes: these, and what it wrote over them
};

}  // namespace tilelab::program
