// Implements device_window.hpp and open_pages.hpp. A range is mapped where the device has it, closed at first. A fault brings a piece of
// it, for reading; a fault on a page that is there already is a write, which is allowed from then on.
#include "host_api/device_window.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "host_api/graphs/stream_capture.hpp"
#include "host_api/library/host_session.hpp"
#include "host_api/library/open_pages.hpp"
#include "host_api/runtime_device.hpp"

namespace tilelab_host {
namespace {

constexpr std::size_t page = 4096, piece = 256 * page;

struct OpenRange {
  std::size_t bytes = 0;         // of the allocation
  std::vector<bool> is_there;    // for each piece
  std::vector<bool> is_written;  // for each page
};

std::recursive_mutex mutex;
int windows = 0;
std::map<std::uintptr_t, OpenRange> ranges;  // by their addresses on the device
cudaError_t failure = cudaSuccess;

std::size_t whole_pages(std::size_t bytes) { return (bytes + page - 1) / page * page; }
void protect(std::uintptr_t first, std::size_t bytes, int protection) {
  if (::mprotect(reinterpret_cast<void*>(first), bytes, protection) != 0) failure = cudaErrorMemoryAllocation;
}

// The bytes lie at the device's own address, which a request takes for the device. So it names another place for the host's side.
void move(std::uintptr_t first, std::size_t bytes, bool to_device) {
  static char host_side;
  const std::uint64_t host = number_of(&host_side);
  const json request = {{"op", "copy"},
                        {"to", to_device ? first : host},
                        {"from", to_device ? host : first},
                        {"rows", 1},
                        {"row_bytes", bytes},
                        {"to_pitch", bytes},
                        {"from_pitch", bytes},
                        {"kind", to_device ? 1 : 2},
                        {"stream", 0},
                        {"async", false},
                        {"quiet", true},
                        {"at", 0}};
  const cudaError_t error = Session::open().move(request, {first, 1, bytes, bytes}).error();
  if (error != cudaSuccess) failure = error;
}

std::map<std::uintptr_t, OpenRange>::iterator range_of(std::uintptr_t address) {
  const auto next = ranges.upper_bound(address);
  if (next == ranges.begin()) return ranges.end();
  const auto before = std::prev(next);
  return address - before->first < whole_pages(before->second.bytes) ? before : ranges.end();
}

// Maps the allocation that the address lies in, closed.
std::map<std::uintptr_t, OpenRange>::iterator open_range(std::uintptr_t address) {
  const Reply reply = Session::open().ask({{"op", "pointer"}, {"address", address}, {"at", 0}});
  const auto first = reply.fields.value("base", std::uintptr_t{0});
  const auto bytes = reply.fields.value("bytes", std::size_t{0});
  if (first % page != 0 || first < device_first || first >= device_end || bytes == 0 || bytes > device_end - first) return ranges.end();
  void* wanted = reinterpret_cast<void*>(first);
  void* place = ::mmap(wanted, whole_pages(bytes), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (place != wanted) return ranges.end();
  OpenRange made{bytes, std::vector<bool>((bytes + piece - 1) / piece), std::vector<bool>((bytes + page - 1) / page)};
  return ranges.emplace(first, std::move(made)).first;
}

// Sends the written pages back, neighbours together.
void give_back(std::uintptr_t first, const OpenRange& range) {
  const std::size_t pages = range.is_written.size();
  for (std::size_t from = 0; from < pages;) {
    if (!range.is_written[from]) {
      ++from;
      continue;
    }
    std::size_t end = from;
    while (end < pages && range.is_written[end]) ++end;
    move(first + from * page, std::min(end * page, range.bytes) - from * page, true);
    from = end;
  }
  ::munmap(reinterpret_cast<void*>(first), whole_pages(range.bytes));
}

}  // namespace

bool open_page(std::uintptr_t address) {
  const std::lock_guard lock(mutex);
  if (windows == 0 || address < device_first || address >= device_end) return false;
  auto found = range_of(address);
  if (found == ranges.end()) found = open_range(address);
  if (found == ranges.end()) return false;
  auto& [first, range] = *found;
  const std::size_t place = (address - first) / piece;
  if (!range.is_there[place]) {
    const std::uintptr_t from = first + place * piece;
    const std::size_t bytes = std::min(piece, range.bytes - place * piece);
    protect(from, whole_pages(bytes), PROT_READ | PROT_WRITE);
    if (failure != cudaSuccess) return false;
    move(from, bytes, false);
    protect(from, whole_pages(bytes), PROT_READ);
    range.is_there[place] = true;
  } else {
    const std::size_t own = (address - first) / page;
    protect(first + own * page, page, PROT_READ | PROT_WRITE);
    range.is_written[own] = true;
  }
  return failure == cudaSuccess;
}

DeviceWindow::DeviceWindow() {
  if (is_any_captured())
    Session::open().refuse("Algorithms of Thrust and CUB cannot be captured here: they run on the host, at once.", TILELAB_AT);
  const std::lock_guard lock(mutex);
  if (windows == 0) {
    const Reply reply = Session::open().ask({{"op", "device"}, {"what", "synchronize"}, {"at", TILELAB_AT}});
    failure = reply.error();
    tell_failure();
  }
  ++windows;
}

DeviceWindow::~DeviceWindow() {
  const std::lock_guard lock(mutex);
  if (--windows != 0) return;
  for (const auto& [first, range] : ranges) give_back(first, range);
  ranges.clear();
}

void DeviceWindow::tell_failure() {
  const cudaError_t error = failure;
  failure = cudaSuccess;
  if (error != cudaSuccess) throw std::runtime_error(std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error));
}

}  // namespace tilelab_host
