#include "program_judge/data_folder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace tilelab::judge {
namespace {

[[noreturn]] void fail(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

void write_all(int file, const std::vector<std::byte>& content, const std::string& name) {
  for (std::size_t at = 0; at < content.size();) {
    const ssize_t written = write(file, content.data() + at, content.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) fail("the file " + name + " cannot be written for the program");
    at += static_cast<std::size_t>(written);
  }
}

}  // namespace

DataFolder::DataFolder(const std::string& path) : path_(path), folder_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_.get() < 0) fail("the program's folder " + path + " cannot be opened");
}

void DataFolder::fill(const std::vector<DataFile>& files) const {
  for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove_all(entry.path());  // follows no link
  for (const DataFile& one : files) {
    const Descriptor file(openat(folder_.get(), one.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (file.get() < 0) fail("the file " + one.name + " cannot be made for the program");
    write_all(file.get(), one.content, one.name);
  }
}

DataFolder::Found DataFolder::read(const std::string& name, std::size_t most_bytes) const {
  const Descriptor file(openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return {std::nullopt, errno == ENOENT ? "does not exist" : "is no plain file that can be read"};
  struct stat about{};
  if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {std::nullopt, "is no plain file that can be read"};
  if (static_cast<std::size_t>(about.st_size) > most_bytes) return {std::nullopt, "is far too large"};
  std::vector<std::byte> content(static_cast<std::size_t>(about.st_size));
  std::size_t at = 0;
  while (at < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + at, content.size() - at);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;  // it was shortened while it was read
    at += static_cast<std::size_t>(got);
  }
  content.resize(at);
  return {std::move(content), {}};
}

}  // namespace tilelab::judge
