// Implements stream_table.hpp.
#include "host_api/graphs/stream_table.hpp"

#include <algorithm>
#include <map>
#include <mutex>

#include "host_api/library/host_session.hpp"

namespace tilelab_host {
namespace {

// Never destroyed: destructors of the program's objects may still use streams.
struct Table {
  std::mutex mutex;
  std::map<cudaStream_t, StreamTraits> streams;
  std::map<cudaStream_t, std::vector<cudaStream_t>> branches;
  std::vector<cudaEvent_t> events;  // that nobody has borrowed
};
Table& table() {
  static Table* const made = new Table;
  return *made;
}

// The legacy default stream has two names.
cudaStream_t one_name(cudaStream_t stream) { return stream == cudaStreamLegacy ? nullptr : stream; }

cudaStream_t make_branch() {
  const Reply reply = Session::open().ask({{"op", "stream"}, {"what", "create"}, {"stream", 0}, {"nonblocking", true}, {"hidden", true}});
  return reply.error() == cudaSuccess ? reinterpret_cast<cudaStream_t>(reply.fields.value("stream", std::uintptr_t{0})) : nullptr;
}

}  // namespace

void remember_stream(cudaStream_t stream, StreamTraits traits) {
  const std::lock_guard lock(table().mutex);
  table().streams[stream] = traits;
}

StreamTraits traits_of(cudaStream_t stream) {
  const std::lock_guard lock(table().mutex);
  const auto found = table().streams.find(stream);
  return found == table().streams.end() ? StreamTraits{} : found->second;
}

bool is_stream(cudaStream_t stream) {
  const std::lock_guard lock(table().mutex);
  return number_of(stream) <= number_of(cudaStreamPerThread) || table().streams.contains(stream);
}

bool is_blocking(cudaStream_t stream) { return (traits_of(stream).flags & cudaStreamNonBlocking) == 0; }

std::vector<cudaStream_t> branches_of(cudaStream_t stream, std::size_t count) {
  const std::lock_guard lock(table().mutex);
  std::vector<cudaStream_t>& made = table().branches[one_name(stream)];
  while (made.size() < count) {
    const cudaStream_t branch = make_branch();
    if (branch == nullptr) break;
    made.push_back(branch);
  }
  std::vector<cudaStream_t> all(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(std::min(count, made.size())));
  all.resize(count, stream);
  return all;
}

void drop_stream(cudaStream_t stream) {
  std::vector<cudaStream_t> branches;
  {
    const std::lock_guard lock(table().mutex);
    table().streams.erase(stream);
    const auto found = table().branches.find(stream);
    if (found == table().branches.end()) return;
    branches = std::move(found->second);
    table().branches.erase(found);
  }
  for (const cudaStream_t branch : branches) {
    drop_stream(branch);  // bodies of conditions have branches of their own
    (void)Session::open().call({{"op", "stream"}, {"what", "destroy"}, {"stream", number_of(branch)}});
  }
}

cudaEvent_t borrow_event() {
  const std::lock_guard lock(table().mutex);
  if (!table().events.empty()) {
    const cudaEvent_t event = table().events.back();
    table().events.pop_back();
    return event;
  }
  const Reply reply = Session::open().ask({{"op", "event"}, {"what", "create"}, {"event", 0}, {"hidden", true}});
  return reply.error() == cudaSuccess ? reinterpret_cast<cudaEvent_t>(reply.fields.value("event", std::uintptr_t{0})) : nullptr;
}

void return_event(cudaEvent_t event) {
  if (event == nullptr) return;
  const std::lock_guard lock(table().mutex);
  table().events.push_back(event);
}

}  // namespace tilelab_host
