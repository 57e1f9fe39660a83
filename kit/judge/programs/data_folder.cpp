#include "judge/programs/data_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

namespace tilelab::judge {
namespace {

constexpr unsigned most_depth = 200;
constexpr std::size_t most_entries = 10'000;
constexpr std::uintmax_t most_bytes = 512u << 20;

[[noreturn]] void fail_in_folder(const std::string& what) { throw std::system_error(errno, std::generic_category(), what); }

// A program may take away the rights to its own folders, and then they could not be removed. Follows no link.
void unlock(int folder, unsigned depth) {
  if (depth > most_depth) return;
  fchmod(folder, 0700);
  const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // fdopendir takes it
  DIR* const entries = again < 0 ? nullptr : fdopendir(again);
  if (entries == nullptr) return;
  while (const dirent* one = readdir(entries)) {
    const std::string name = one->d_name;
    if (one->d_type != DT_DIR || name == "." || name == "..") continue;
    if (fchmodat(folder, name.c_str(), 0700, 0) != 0) continue;  // nobody else is at work here: the program has ended
    if (const Descriptor inner(openat(folder, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)); inner.get() >= 0)
      unlock(inner.get(), depth + 1);
  }
  closedir(entries);
}

// An earlier run may have taken away the rights to the folder itself.
int opened_data_folder(const std::string& path) {
  constexpr int how = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  const int folder = open(path.c_str(), how);
  return folder < 0 && errno == EACCES && chmod(path.c_str(), 0700) == 0 ? open(path.c_str(), how) : folder;
}

}  // namespace

DataFolder::DataFolder(const std::string& path) : path_(path), folder_(opened_data_folder(path)) {
  if (folder_.get() < 0) fail_in_folder("the program's folder " + path + " cannot be opened");
}

void DataFolder::fill(const std::vector<DataFile>& files) const {
  unlock(folder_.get(), 0);
  for (const auto& entry : std::filesystem::directory_iterator(path_)) std::filesystem::remove_all(entry.path());  // follows no link
  write(files);
}

void DataFolder::write(const std::vector<DataFile>& files) const {
  for (const DataFile& one : files) {
    const Descriptor file(openat(folder_.get(), one.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
    if (file.get() < 0) fail_in_folder("the file " + one.name + " cannot be made for the program");
    if (!file.write_at(0, one.content.data(), one.content.size()))
      fail_in_folder("the file " + one.name + " cannot be written for the program");
  }
}

bool DataFolder::refill(const std::vector<DataFile>& files) const {
  const int again = openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);  // fdopendir takes it
  DIR* const entries = again < 0 ? nullptr : fdopendir(again);
  if (entries == nullptr) return false;
  bool is_empty = true;
  std::size_t seen = 0;
  while (const dirent* one = readdir(entries)) {
    const std::string name = one->d_name;
    if (name == "." || name == "..") continue;
    is_empty = is_empty && ++seen <= most_entries && unlinkat(folder_.get(), name.c_str(), 0) == 0;
    if (!is_empty) break;
  }
  closedir(entries);
  try {
    if (is_empty) write(files);
  } catch (const std::system_error&) {
    return false;
  }
  return is_empty;
}

DataFolder::Usage DataFolder::usage() const {
  namespace fs = std::filesystem;
  Usage usage;
  std::error_code trouble;  // the program may remove what is looked at
  std::uintmax_t bytes = 0;
  std::size_t entries = 0;
  fs::recursive_directory_iterator at(path_, fs::directory_options::skip_permission_denied, trouble);
  for (; !trouble && at != fs::recursive_directory_iterator() && ++entries <= most_entries; at.increment(trouble)) {
    std::error_code gone;
    const std::uintmax_t size = at->symlink_status(gone).type() == fs::file_type::regular ? at->file_size(gone) : 0;
    if (!gone) {
      bytes += size;
      usage.largest_file = std::max(usage.largest_file, size);
    }
    if (at.depth() < static_cast<int>(most_depth)) continue;
    usage.too_much = "more than " + std::to_string(most_depth) + " folders in one another";
    at.disable_recursion_pending();
  }
  if (entries > most_entries) usage.too_much = "more than " + std::to_string(most_entries) + " files and folders";
  if (bytes > most_bytes) usage.too_much = "more than " + std::to_string(most_bytes >> 20) + " MiB of files";
  return usage;
}

DataFolder::Found DataFolder::read(const std::string& name, std::size_t most_bytes) const {
  const Descriptor file(openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0) return {std::nullopt, errno == ENOENT ? "does not exist" : "is no plain file that can be read"};
  struct stat about{};
  if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return {std::nullopt, "is no plain file that can be read"};
  if (static_cast<std::size_t>(about.st_size) > most_bytes) return {std::nullopt, "is far too large"};
  std::vector<std::byte> content(static_cast<std::size_t>(about.st_size));
  if (!file.read_at(0, content.data(), content.size())) return {std::nullopt, "was shortened while it was read"};
  return {std::move(content), {}};
}

}  // namespace tilelab::judge
