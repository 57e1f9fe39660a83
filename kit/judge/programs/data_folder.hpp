// The folder in which a judged program runs: filled before each run, and read afterwards. Whatever lies in it then is the program's, and
// hostile: names are looked up in the open folder, links are not followed, only plain files of a limited size are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "judge/program_bench.hpp"
#include "protocol/channel.hpp"

namespace tilelab::judge {

class DataFolder {
 public:
  // Throws std::system_error if it cannot be opened.
  explicit DataFolder(const std::string& path);
  // Removes what lies in it, folders too, and writes the files. Throws std::runtime_error.
  void fill(const std::vector<DataFile>& files) const;
  // The same while the program lives, which may change the folder meanwhile: removes plain files and links alone, and nothing that lies
  // deeper. False where something is in the way; then fill() is for later.
  bool refill(const std::vector<DataFile>& files) const;
  // As far as the program left it to be seen. Cheap enough to be asked while the program runs.
  struct Usage {
    std::string too_much;             // of what it holds more than any lab needs, in words; empty: of nothing
    std::uintmax_t largest_file = 0;  // in bytes
  };
  Usage usage() const;
  // The file's content. Nothing if there is none, and why.
  struct Found {
    std::optional<std::vector<std::byte>> content;
    std::string trouble;  // "does not exist"
  };
  Found read(const std::string& name, std::size_t most_bytes) const;

 private:
  void write(const std::vector<DataFile>& files) const;  // into new files

  std::string path_;
  Descriptor folder_;
};

}  // namespace tilelab::judge
