// Implements host_session.hpp. Bytes move with pread and pwrite on the staging memory, because these calls return an error where the
// program's own pointer is bad, and a copy in user space would end the program inside the library.
#include "host/library/host_session.hpp"

#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "host/launcher_call.hpp"
#include "host/library/fault_watch.hpp"
#include "protocol/json/json_text.hpp"

namespace tilelab_host {
namespace {

constexpr int conversation = 3, staging = 4;
Session* opened = nullptr;  // never destroyed: destructors of the program's objects may still call it

[[noreturn]] void give_up(const char* what) {
  std::fflush(stdout);
  std::fprintf(stderr, "%s\n", what);
  std::_Exit(125);
}

// The program's own pointer is not memory that it may read or write.
[[noreturn]] void die_of(std::uintptr_t address) {
  std::fflush(stdout);
  std::fprintf(stderr, "The host's memory of a copy is not readable or writable at 0x%llx.\n", static_cast<unsigned long long>(address));
  std::signal(SIGSEGV, SIG_DFL);
  std::raise(SIGSEGV);
  std::_Exit(125);
}

// Runs before the constructors of the program's own objects. So the handler that it registers runs after their destructors.
__attribute__((constructor(101))) void watch_the_end() {
  ::on_exit(
      [](int status, void*) {
        look_at_guards(true);
        if (opened) opened->say_goodbye(status);
      },
      nullptr);
}

json whole(const char* op, const Call& call, json fields) {
  fields.update({{"op", op}, {"at", call.at}});
  if (call.graph != 0) fields["graph"] = call.graph;
  if (call.is_planned) fields["planned_by"] = call.name;
  return fields;
}

}  // namespace

Session& Session::open() {
  static std::recursive_mutex opening;  // the first call makes others
  const std::lock_guard lock(opening);
  if (!opened) {
    opened = new Session;
    map_managed_variables();
  }
  return *opened;
}

Session::Session() : channel_(tilelab::Descriptor(conversation)) {
  struct stat about;
  if (::fstat(conversation, &about) != 0 || !S_ISSOCK(about.st_mode) || ::fstat(staging, &about) != 0)
    give_up("This program's CUDA functions need a broker: `tilelab run` starts it.");
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what the program printed is seen even if a signal ends it
  const Reply hello = exchange({{"op", "hello"}, {"version", 1}});
  if (hello.error() != cudaSuccess) give_up("The broker and this program do not have the same version.");
  memory_bytes_ = hello.fields.value("memory_bytes", std::size_t{0});
  staging_bytes_ = std::min<std::size_t>(hello.fields.value("staging_bytes", std::size_t{0}), static_cast<std::size_t>(about.st_size));
  if (staging_bytes_ == 0) give_up("The broker gave this program no staging memory.");
  watch_faults();
  watch_files();
}

Reply Session::exchange(const json& request) try {
  std::fflush(stdout);  // so that what kernels print comes after it
  channel_.send(tilelab::json_text(request));
  tilelab::Frame frame = channel_.receive();
  Reply reply{tilelab::json_from(frame.text), std::move(frame.descriptors)};
  if (const auto text = reply.fields.find("printed"); text != reply.fields.end() && text->is_string()) {
    const auto& printed = text->get_ref<const std::string&>();
    std::fwrite(printed.data(), 1, printed.size(), stdout);
    std::fflush(stdout);
  }
  guard_ranges(reply.fields);
  return reply;
} catch (const std::exception&) {
  std::_Exit(125);  // the broker ended, and knows why
}

Reply ask(const char* op, const Call& call, json fields) { return Session::open().ask(whole(op, call, std::move(fields))); }
Reply move(const char* op, const Call& call, json fields, const HostRows& rows) {
  return Session::open().move(whole(op, call, std::move(fields)), rows);
}

std::size_t map_shared(std::uintptr_t address, std::size_t bytes, const Reply& reply, const json& place, bool replaces) {
  constexpr std::size_t page = 4096;
  const std::size_t whole_pages = (bytes + page - 1) / page * page;
  void* const wanted = reinterpret_cast<void*>(address);
  if (reply.descriptors.empty()) return 0;
  void* const mapped = ::mmap(wanted, whole_pages, PROT_READ | PROT_WRITE, MAP_SHARED | (replaces ? MAP_FIXED : MAP_FIXED_NOREPLACE),
                              reply.descriptors[0].get(), place.value("offset", off_t{0}));
  return mapped == wanted ? whole_pages : 0;
}

Reply Session::ask(const json& request) {
  const std::lock_guard lock(mutex_);
  return exchange(request);
}

void Session::refuse(const std::string& sentence, const Call& call) {
  (void)tilelab_host::ask("refuse", call, {{"message", sentence}});
  std::_Exit(125);
}

Reply Session::move(const json& request, const HostRows& rows) {
  const std::lock_guard lock(mutex_);
  Reply reply = exchange(request);
  const std::string direction = reply.fields.value("direction", std::string("done"));
  if (reply.error() != cudaSuccess) return reply;
  if (direction == "write") send_rows(rows);
  if (direction == "read") fetch_rows(rows);
  return reply;
}

void Session::send_rows(const HostRows& rows) {
  std::size_t filled = 0;
  const auto flush = [&] {
    if (filled > 0) exchange({{"op", "chunk"}, {"bytes", filled}});
    filled = 0;
  };
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t done = 0; done < rows.row_bytes;) {
      const std::uintptr_t from = rows.first + row * rows.pitch + done;
      const std::size_t part = std::min(rows.row_bytes - done, staging_bytes_ - filled);
      const ssize_t moved = ::pwrite(staging, reinterpret_cast<const void*>(from), part, static_cast<off_t>(filled));
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) die_of(from);
      filled += static_cast<std::size_t>(moved);
      done += static_cast<std::size_t>(moved);
      if (filled == staging_bytes_) flush();
    }
  }
  flush();
}

void Session::fetch_rows(const HostRows& rows) {
  std::size_t left = rows.rows * rows.row_bytes, held = 0, taken = 0;
  for (std::size_t row = 0; row < rows.rows; ++row) {
    for (std::size_t done = 0; done < rows.row_bytes;) {
      if (taken == held) {
        held = std::min(left, staging_bytes_);
        taken = 0;
        exchange({{"op", "chunk"}, {"bytes", held}});
        left -= held;
      }
      const std::uintptr_t to = rows.first + row * rows.pitch + done;
      const std::size_t part = std::min(rows.row_bytes - done, held - taken);
      const ssize_t moved = ::pread(staging, reinterpret_cast<void*>(to), part, static_cast<off_t>(taken));
      if (moved < 0 && errno == EINTR) continue;
      if (moved <= 0) die_of(to);
      taken += static_cast<std::size_t>(moved);
      done += static_cast<std::size_t>(moved);
    }
  }
}

void Session::say_goodbye(int status) { ask({{"op", "bye"}, {"status", status}}); }

// What launcher_call.hpp declares. It runs inside the student's program, so the broker believes nothing of it: it writes down the operands
// itself.
const OperandValue* launcher_operands(std::size_t count) {
  static std::vector<OperandValue> values;
  const Reply reply = Session::open().ask({{"op", "operands"}, {"count", count}});
  const auto list = reply.fields.find("operands");
  if (reply.error() != cudaSuccess || list == reply.fields.end() || list->size() != count)
    give_up("The operands of the launcher are not there.");
  for (const json& one : *list) {
    const auto address = one.value("address", std::uintptr_t{0});
    if (one.contains("offset") && map_shared(address, one.value("bytes", std::size_t{0}), reply, one) == 0)
      give_up("The operands of the launcher are not there.");
    values.push_back({reinterpret_cast<const void*>(address), one.value("value", 0.0)});
  }
  return values.data();
}

void launcher_done() {
  std::fflush(nullptr);
  Session::open().ask({{"op", "finish"}});
  _exit(0);
}

}  // namespace tilelab_host
