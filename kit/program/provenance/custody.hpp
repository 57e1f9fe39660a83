// Keeps a record of the bytes that pass between host and device, for a judge that asks where a result came from. A file beside the report;
// `tilelab run` keeps none. What passes again and is still the same is not written again, but for arguments of kernels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>

#include "program/memory/device_memory.hpp"

namespace tilelab::program {

// Before the bytes of each record, as they lie in memory. Behind bytes that went to the host there is one bit for each, the lowest first:
// whether a kernel wrote it.
struct CustodyHeader {
  std::uint64_t to_the_device = 0;  // 0: to the host
  std::uint64_t at = 0;             // where the program asked for the copy, or launched the kernel
  std::uint64_t address = 0;        // in the program's own memory; below 4096: the number of a kernel's argument
  std::uint64_t bytes = 0;
};

class Custody {
 public:
  // An empty path: nothing is kept. Throws std::runtime_error.
  explicit Custody(const std::string& path);
  bool is_kept() const { return file_ != nullptr; }
  bool is_whole() const { return is_whole_; }  // false: there was more than the record may hold

  void sent(std::uint64_t at, std::uint64_t address, const char* content, std::size_t bytes);
  // The bytes [offset, offset + bytes) of the allocation. `address`: where the first one goes to.
  void received(std::uint64_t at, std::uint64_t address, const Allocation& from, std::size_t offset, std::size_t bytes);
  // Everything is in the file. Throws std::runtime_error if it cannot be.
  void close();

 private:
  struct Closer {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void write(const CustodyHeader& header, const char* content, const std::string& bits = {});
  std::uint64_t hash(const char* content, std::size_t bytes) const;

  std::unique_ptr<std::FILE, Closer> file_;
  std::map<std::array<std::uint64_t, 3>, std::uint64_t> known_;  // the last content of each place: a hash
  std::uint64_t seed_ = 0;
  std::size_t kept_ = 0;
  bool is_whole_ = true;
};

}  // namespace tilelab::program
