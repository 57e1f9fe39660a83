// Implements fault_watch.hpp and device_window.hpp.
#include "host/library/fault_watch.hpp"

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory_resource>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "host/device_window.hpp"
#include "host/graphs/graph.hpp"
#include "host/library/host_session.hpp"
#include "host/runtime_device.hpp"

extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* block, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
void __libc_free(void* block);
}

namespace tilelab_host {
namespace {

// Memory of the table itself. It lies on pages of its own: a program that writes behind its blocks must not reach it.
class MappedPages : public std::pmr::memory_resource {
  void* do_allocate(std::size_t bytes, std::size_t) override {
    void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) std::abort();  // the machine has no memory left at all
    return pages;
  }
  void do_deallocate(void* pages, std::size_t bytes, std::size_t) override { ::munmap(pages, bytes); }
  bool do_is_equal(const std::pmr::memory_resource& other) const noexcept override { return this == &other; }
};
struct Block {
  std::size_t bytes = 0, guard = 0;
  std::uintptr_t made_at = 0;  // return address; 0: in a library
};
using Blocks = std::pmr::map<std::uintptr_t, Block>;
struct BlockTable {
  MappedPages pages;
  std::pmr::unsynchronized_pool_resource pool{{.max_blocks_per_chunk = 4096, .largest_required_pool_block = 128}, &pages};
  Blocks blocks{&pool};
};

constinit std::mutex table_mutex;
alignas(BlockTable) unsigned char table_place[sizeof(BlockTable)];
constinit BlockTable* table_made = nullptr;  // never destroyed: blocks are freed until the very end

Blocks& block_table() {
  if (!table_made) table_made = new (table_place) BlockTable;
  return table_made->blocks;
}

constinit std::atomic<std::size_t> last_refused{0};

// Behind each block lie bytes of our own: whoever changed them wrote past its end. They are many while there are few blocks, so that
// most overruns reach nothing else.
constexpr unsigned char guard_byte = 0xA7;
constexpr std::size_t guard_bytes = 64, wide_guard = 4096, few_blocks = 512, most_looked_at = 4096;
constinit std::atomic<std::size_t> live_blocks{0};
std::size_t guard_now() { return live_blocks < few_blocks ? wide_guard : guard_bytes; }

void* remember(void* block, std::size_t bytes, std::size_t guard, std::uintptr_t made_at) {
  if (!block) last_refused = bytes;
  if (!block) return block;
  std::memset(static_cast<unsigned char*>(block) + bytes, guard_byte, guard);
  const std::lock_guard lock(table_mutex);
  block_table().insert_or_assign(reinterpret_cast<std::uintptr_t>(block), Block{bytes, guard, made_at});
  live_blocks = block_table().size();
  return block;
}

// How many of the first `most` bytes behind the block are changed, up to the last of them.
std::size_t overrun(std::uintptr_t address, const Block& block, std::size_t most = wide_guard) {
  const auto* const guard = reinterpret_cast<const unsigned char*>(address + block.bytes);
  std::size_t bytes = std::min(block.guard, most);
  if (bytes == 0 || (guard[0] == guard_byte && std::memcmp(guard, guard + 1, bytes - 1) == 0)) return 0;  // nearly always
  while (bytes != 0 && guard[bytes - 1] == guard_byte) --bytes;
  return bytes;
}

// `about`: the sizes of what was written past its end. `at`: where it was noticed, else the call that led here.
void tell_outside(nlohmann::json about, std::uintptr_t at) {
  about.update({{"op", "touch"}, {"address", 0}, {"write", true}, {"signal", SIGABRT}});
  if (at == 0) {
    const auto frames = frames_here();
    at = frames.empty() ? 0 : frames[0];
    about["frames"] = frames;
  }
  about["at"] = at;
  (void)Session::open().ask(std::move(about));
}

// Once: what happens to the heap after that is no news.
void tell_overrun(const Block& block, std::size_t bytes, bool at_end) {
  static std::atomic<bool> is_told{false};
  if (is_told.exchange(true)) return;
  nlohmann::json about = {{"block", block.bytes}};
  if (!at_end) about["made_at"] = block.made_at;
  tell_outside(std::move(about), at_end ? block.made_at : 0);
  if (bytes < block.guard) return;
  std::signal(SIGABRT, SIG_DFL);  // the heap behind is not what it was, and may make the program wait for ever
  std::abort();
}

void forget(void* block) {
  if (!block) return;
  Block known;
  std::size_t changed = 0;
  {
    const std::lock_guard lock(table_mutex);
    const auto found = block_table().find(reinterpret_cast<std::uintptr_t>(block));
    if (found == block_table().end()) return;
    known = found->second;
    changed = overrun(found->first, known);
    block_table().erase(found);
    live_blocks = block_table().size();
  }
  if (changed != 0) tell_overrun(known, changed, false);
}

std::optional<std::size_t> room_in_heap(std::uintptr_t address) {
  const std::lock_guard lock(table_mutex);
  auto block = block_table().upper_bound(address);
  if (block == block_table().begin()) return std::nullopt;
  --block;
  const std::size_t before = address - block->first;
  return before < block->second.bytes ? std::optional(block->second.bytes - before) : std::nullopt;
}

}  // namespace

std::size_t refused_bytes() { return last_refused; }

std::optional<std::size_t> room_at(std::uintptr_t address) {
  if (const auto room = room_in_heap(address)) return room;
  const Symbol* variable = OwnSymbols::read().variable_around(address);
  return variable ? std::optional(variable->bytes - (address - variable->address)) : std::nullopt;
}

void look_at_guards(bool at_end) {
  static std::uintptr_t next = 0;  // where the last look ended: a program may have very many blocks
  Block found;
  std::size_t changed = 0;
  {
    const std::lock_guard lock(table_mutex);
    const Blocks& blocks = block_table();
    auto one = blocks.lower_bound(next);
    for (std::size_t looked = 0; changed == 0 && looked < (at_end ? blocks.size() : std::min(blocks.size(), most_looked_at)); ++looked) {
      if (one == blocks.end()) one = blocks.begin();
      changed = overrun(one->first, one->second, guard_bytes);
      if (changed != 0) changed = overrun(one->first, found = one->second);
      ++one;
    }
    next = one == blocks.end() ? 0 : one->first;
  }
  if (changed != 0) tell_overrun(found, changed, at_end);
}

}  // namespace tilelab_host

namespace {

// `from`: the return address of the call that asks for them.
template <typename Make>
void* guarded(std::size_t bytes, std::uintptr_t from, Make make) {
  using namespace tilelab_host;
  const std::size_t guard = guard_now();
  return remember(bytes > SIZE_MAX - guard ? nullptr : make(bytes + guard), bytes, guard, from);
}

void* made_by_malloc(std::size_t bytes) { return __libc_malloc(bytes); }

void* new_bytes(std::size_t bytes, std::uintptr_t from) {
  while (true) {
    if (void* const block = guarded(bytes, from, made_by_malloc)) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

}  // namespace

extern "C" {
void* malloc(std::size_t bytes) { return guarded(bytes, TILELAB_AT, made_by_malloc); }
void* calloc(std::size_t count, std::size_t bytes) {
  const bool fits = bytes == 0 || count <= SIZE_MAX / bytes;
  return guarded(fits ? count * bytes : SIZE_MAX, TILELAB_AT, [](std::size_t all) { return __libc_calloc(1, all); });
}
void free(void* block) {
  tilelab_host::forget(block);
  __libc_free(block);
}
void* realloc(void* block, std::size_t bytes) {
  tilelab_host::forget(block);
  if (block != nullptr && bytes == 0) return __libc_realloc(block, 0);
  return guarded(bytes, TILELAB_AT, [block](std::size_t all) { return __libc_realloc(block, all); });
}
void* memalign(std::size_t alignment, std::size_t bytes) {
  return guarded(bytes, TILELAB_AT, [alignment](std::size_t all) { return __libc_memalign(alignment, all); });
}
void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return guarded(bytes, TILELAB_AT, [alignment](std::size_t all) { return __libc_memalign(alignment, all); });
}
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  void* const place = guarded(bytes, TILELAB_AT, [alignment](std::size_t all) { return __libc_memalign(alignment, all); });
  if (!place) return ENOMEM;
  *block = place;
  return 0;
}
std::size_t malloc_usable_size(void* block) {
  return block ? tilelab_host::room_at(reinterpret_cast<std::uintptr_t>(block)).value_or(0) : 0;
}
}

// Called where a subscript is outside its array: -fsanitize=bounds. Records as GCC and Clang lay them out (libsanitizer's ubsan_value.h).
extern "C" void __ubsan_handle_out_of_bounds(const void* record, std::uintptr_t subscript) {
  struct Type {
    std::uint16_t kind, info;
    char name[1];
  };
  struct Record {
    const char* file;
    std::uint32_t line, column;
    const Type* array;
    const Type* index;
  };
  static std::atomic<const void*> last{nullptr};
  static std::atomic<int> left{8};  // a loop may come here for ever
  if (last.exchange(record) == record || left.fetch_sub(1) <= 0) return;
  const auto& about = *static_cast<const Record*>(record);
  const char* const bound = std::strchr(about.array->name, '[');  // of 'int [10]'
  const bool is_int = (about.index->info >> 1) <= 5;              // 2 to its power bits
  const auto value = is_int ? static_cast<std::int32_t>(subscript) : static_cast<std::int64_t>(subscript);
  tilelab_host::tell_outside(
      {{"subscript", static_cast<std::uint64_t>(value)}, {"elements", bound ? std::strtoull(bound + 1, nullptr, 10) : 0}}, TILELAB_AT);
}

// Weak: a program may have its own.
[[gnu::weak]] void* operator new(std::size_t bytes) { return new_bytes(bytes, TILELAB_AT); }
[[gnu::weak]] void* operator new[](std::size_t bytes) { return new_bytes(bytes, TILELAB_AT); }

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
  const json asked = {{"to", to_device ? first : host},
                      {"from", to_device ? host : first},
                      {"rows", 1},
                      {"row_bytes", bytes},
                      {"to_pitch", bytes},
                      {"from_pitch", bytes},
                      {"kind", to_device ? cudaMemcpyHostToDevice : cudaMemcpyDeviceToHost},
                      {"quiet", true}};
  const cudaError_t error = tilelab_host::move("copy", {}, asked, {first, 1, bytes, bytes}).error();
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
  const Reply reply = ask("pointer", {}, {{"address", address}});
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
    Session::open().refuse("Algorithms of Thrust and CUB cannot be captured here: they run on the host, at once.", TILELAB_CALL);
  const std::lock_guard lock(mutex);
  if (windows == 0) {
    const Reply reply = ask("device", TILELAB_CALL, {{"what", "synchronize"}});
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

extern "C" const char __executable_start, etext;  // the linker's: the program's own code lies between them

namespace tilelab_host {
namespace {

alignas(64) std::array<char, 256 * 1024> handler_stack;

bool in_program(std::uintptr_t pc) {
  return pc >= reinterpret_cast<std::uintptr_t>(&__executable_start) && pc < reinterpret_cast<std::uintptr_t>(&etext);
}

// Where the program's code was at the fault: the instruction, and the calls that led there, the innermost first. As return addresses,
// which lie behind their instruction. Which of them are the user's own lines is for the grader to say.
struct Search {
  std::uintptr_t fault = 0;
  std::vector<std::uintptr_t> found{};
  bool past_fault = false;
};

constexpr std::size_t most_frames = 16;
constexpr std::uintptr_t null_bytes = 1 << 16;  // addresses of a null pointer and what stands shortly behind

_Unwind_Reason_Code look(_Unwind_Context* frame, void* argument) {
  auto& search = *static_cast<Search*>(argument);
  int before = 0;
  const std::uintptr_t pc = _Unwind_GetIPInfo(frame, &before);
  search.past_fault = search.past_fault || pc == search.fault;
  if (!search.past_fault || !in_program(pc)) return _URC_NO_REASON;
  search.found.push_back(before ? pc + 1 : pc);
  return search.found.size() < most_frames ? _URC_NO_REASON : _URC_END_OF_STACK;
}

std::vector<std::uintptr_t> frames_of_fault(std::uintptr_t pc) {
  Search search{pc};
  _Unwind_Backtrace(look, &search);
  if (search.found.empty()) search.found.push_back(in_program(pc) ? pc + 1 : 0);
  return search.found;
}

void die(int signal) {
  std::signal(signal, SIG_DFL);  // the same instruction faults again when the handler returns
}

// Tells where the program ends. What happens in here must not lead here again.
void tell_end(int signal, std::uintptr_t address, std::uintptr_t pc, bool write) {
  die(signal);
  const auto frames = frames_of_fault(pc);
  nlohmann::json request = {{"op", "touch"},    {"address", address}, {"at", frames[0]},
                            {"frames", frames}, {"write", write},     {"signal", signal}};
  // std::bad_alloc that nobody caught, or a null pointer that nobody looked at.
  if (address < null_bytes && (signal == SIGABRT || signal == SIGSEGV) && refused_bytes() != 0) request["refused_bytes"] = refused_bytes();
  (void)Session::open().ask(std::move(request));
}

void on_fault(int signal, siginfo_t* about, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(about->si_addr);
  const auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  const auto pc = static_cast<std::uintptr_t>(registers.gregs[REG_RIP]);
  const bool write = (registers.gregs[REG_ERR] & 2) != 0;
#else
  const auto pc = static_cast<std::uintptr_t>(registers.pc);
  const bool write = false;
#endif
  if (about->si_code <= 0 && signal != SIGABRT) return die(signal);
  if (signal != SIGSEGV && signal != SIGBUS) return tell_end(signal, 0, pc, false);
  if (address < device_first || address >= shared_end) return tell_end(signal, address, pc, write);
  if (open_page(address)) return;
  const auto frames = frames_of_fault(pc);
  const bool is_atomic = pc != 0 && address != pc && is_atomic_instruction(reinterpret_cast<const unsigned char*>(pc));
  const Reply reply = Session::open().ask(
      {{"op", "touch"}, {"address", address}, {"at", frames[0]}, {"frames", frames}, {"write", write}, {"atomic", is_atomic}});
  if (reply.fields.value("action", std::string("stop")) != "go on") return die(signal);
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  if (::mprotect(reinterpret_cast<void*>(address & ~(page - 1)), page, PROT_READ | PROT_WRITE) != 0) die(signal);
}

void protect(const nlohmann::json& reply, const char* key, int protection) {
  const auto ranges = reply.find(key);
  if (ranges == reply.end() || !ranges->is_array()) return;
  for (const auto& range : *ranges) {
    const auto first = range.at(0).get<std::uintptr_t>();
    const auto bytes = range.at(1).get<std::size_t>();
    if (first >= device_end && first < shared_end && bytes <= shared_end - first)
      ::mprotect(reinterpret_cast<void*>(first), bytes, protection);
  }
}

}  // namespace

std::vector<std::uintptr_t> frames_here() {
  Search search{.past_fault = true};
  _Unwind_Backtrace(look, &search);
  return search.found;
}

void watch_faults() {
  stack_t stack{};
  stack.ss_sp = handler_stack.data();
  stack.ss_size = handler_stack.size();
  ::sigaltstack(&stack, nullptr);
  struct sigaction action{};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  ::sigaction(SIGSEGV, &action, nullptr);
  ::sigaction(SIGBUS, &action, nullptr);
  for (const int end : {SIGABRT, SIGFPE}) {
    struct sigaction known{};
    if (::sigaction(end, nullptr, &known) == 0 && known.sa_handler == SIG_DFL) ::sigaction(end, &action, nullptr);
  }
}

namespace {

// From the start: a program may crash before its first call of CUDA.
[[gnu::constructor]] void watch_from_the_start() { watch_faults(); }

}  // namespace

void guard_ranges(const nlohmann::json& reply) {
  protect(reply, "guard", PROT_NONE);
  protect(reply, "guard_writes", PROT_READ);
  protect(reply, "unguard", PROT_READ | PROT_WRITE);
}

}  // namespace tilelab_host
