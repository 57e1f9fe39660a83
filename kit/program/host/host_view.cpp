#include "program/host/host_view.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "program/memory/value_marks.hpp"

namespace tilelab::program {
namespace {

constexpr std::size_t widest = 8;  // bytes of a number

}  // namespace

HostView::HostView(DeviceMemory& memory, Custody& custody, const AlteredInputs& altered, HostReads& reads)
    : memory_(memory), custody_(custody), altered_(altered), reads_(reads) {
  if (custody.is_kept()) file_.emplace("tilelab-host", memory.total_bytes());
  if (custody.is_kept() && reads.shows()) shown_.emplace("tilelab-shown", memory.total_bytes());
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
    custody_.sent(at, one.address + first + begin, one.content + first + begin, end - begin);
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
      custody_.received(at, one.address + first, one, first, std::min(piece, one.bytes - first));
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
      if (one.is_on_record) custody_.received(at, one.address + first, one, first, bytes);
      is_changed = true;
    }
    if (!is_changed || one.is_on_record) return;
    custody_.received(at, one.address, one, 0, one.bytes);  // from now on only what changes
    one.is_on_record = true;
  });
}

void HostView::hand_out(Allocation& one, std::size_t first, std::size_t bytes, std::uint64_t at) {
  if (!is_apart(one)) return;
  reads_.next_view();
  if (shown_) return show_again(at);
  std::memcpy(file_->memory() + one.offset + first, one.content + first, bytes);
  reads_.viewed(one.index, first, one.content + first, bytes);
  custody_.received(at, one.address + first, one, first, bytes);
}

}  // namespace tilelab::program
