// Other numbers in place of a program's inputs, on their way to the device: what a judge uses to see whether a result follows from what the
// kernels were given. Numbers are known by their bits alone, so all of them must differ. What the host is shown: see host_reads.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

#include "program/program_description.hpp"

namespace tilelab::program {

class AlteredInputs {
 public:
  // Reads the files. Throws std::runtime_error.
  explicit AlteredInputs(const std::vector<AlterationDescription>& pairs);

  // The host has set the bytes [first, first + count) of `memory`, which has `size` bytes and begins at an aligned address.
  void to_device(char* memory, std::size_t first, std::size_t count, std::size_t size) const;

 private:
  using Numbers = std::unordered_map<std::uint64_t, std::uint64_t>;
  std::map<std::size_t, Numbers> to_device_;  // by the bytes of a number
};

}  // namespace tilelab::program
