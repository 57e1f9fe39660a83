#include "program/custody.hpp"

#include <stdexcept>

#include "program/value_marks.hpp"

namespace tilelab::program {
namespace {

constexpr std::size_t most_bytes = 512u << 20;

bool is_shared(const Allocation& one) { return one.file() == protocol::ProgramFile::shared; }

}  // namespace

Custody::Custody(const std::string& path) {
  if (path.empty()) return;
  file_.reset(std::fopen(path.c_str(), "wbe"));
  if (!file_) throw std::runtime_error("the record of copies cannot be written: " + path);
}

void Custody::sent(std::uint64_t at, std::uint64_t address, const char* content, std::size_t bytes) {
  if (is_kept()) write({1, at, address, bytes}, content);
}

void Custody::received(std::uint64_t at, std::uint64_t address, const Allocation& from, std::size_t offset, std::size_t bytes) {
  if (!is_kept()) return;
  for_each_written_by_kernel(from.marks, offset, bytes, [&](std::size_t first, std::size_t count) {
    write({0, at, address + (first - offset), count}, from.content + first);
  });
}

void Custody::between(std::uint64_t at, const Allocation& to, std::size_t there, const Allocation& from, std::size_t here,
                      std::size_t bytes) {
  if (is_shared(to) && !is_shared(from)) received(at, to.address + there, from, here, bytes);
  if (is_shared(from) && !is_shared(to)) sent(at, from.address + here, from.content + here, bytes);
}

void Custody::before_launch(DeviceMemory& memory) const {
  if (!is_kept()) return;
  memory.for_each_live([](Allocation& one) {
    if (is_shared(one)) mark_as_set(one.marks, 0, one.bytes);
  });
}

void Custody::after_launch(std::uint64_t at, DeviceMemory& memory) {
  if (!is_kept()) return;
  memory.for_each_live([&](Allocation& one) {
    if (is_shared(one)) received(at, one.address, one, 0, one.bytes);
  });
}

void Custody::write(const CustodyHeader& header, const char* content) {
  if (header.bytes == 0 || !is_whole_) return;
  kept_ += sizeof header + header.bytes;
  is_whole_ = kept_ <= most_bytes;
  if (!is_whole_) return;
  const bool done =
      std::fwrite(&header, sizeof header, 1, file_.get()) == 1 && std::fwrite(content, 1, header.bytes, file_.get()) == header.bytes;
  if (!done) throw std::runtime_error("the record of copies cannot be written");
}

void Custody::close() {
  if (file_ && std::fflush(file_.get()) != 0) throw std::runtime_error("the record of copies cannot be written");
  file_.reset();
}

}  // namespace tilelab::program
