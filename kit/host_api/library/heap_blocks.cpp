// Implements heap_blocks.hpp. The program is linked to these functions instead of the C library's, which they call. They are called
// before any constructor has run, so everything here is initialised by the compiler or at the first call.
#include "host_api/library/heap_blocks.hpp"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <functional>
#include <map>
#include <mutex>
#include <new>

#include "host_api/library/own_symbols.hpp"

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
template <typename T>
class NodePages {
 public:
  using value_type = T;
  NodePages() = default;
  template <typename S>
  NodePages(const NodePages<S>&) {}

  T* allocate(std::size_t) {  // a map asks for one node at a time
    if (!free_nodes) add_pages();
    Node* node = free_nodes;
    free_nodes = node->next;
    return reinterpret_cast<T*>(node);
  }
  void deallocate(T* place, std::size_t) {
    Node* node = reinterpret_cast<Node*>(place);
    node->next = free_nodes;
    free_nodes = node;
  }
  template <typename S>
  bool operator==(const NodePages<S>&) const {
    return true;
  }

 private:
  union Node {
    Node* next;
    alignas(T) unsigned char bytes[sizeof(T)];
  };
  void add_pages() {
    constexpr std::size_t bytes = 256 * 1024;
    void* pages = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) std::abort();  // the machine has no memory left at all
    Node* nodes = static_cast<Node*>(pages);
    for (std::size_t i = 0; i < bytes / sizeof(Node); ++i) deallocate(reinterpret_cast<T*>(nodes + i), 1);
  }
  static inline Node* free_nodes = nullptr;
};
using Table = std::map<std::uintptr_t, std::size_t, std::less<>, NodePages<std::pair<const std::uintptr_t, std::size_t>>>;

constinit std::mutex table_mutex;
alignas(Table) unsigned char table_place[sizeof(Table)];
constinit Table* table_made = nullptr;  // never destroyed: blocks are freed until the very end

Table& table() {
  if (!table_made) table_made = new (table_place) Table;
  return *table_made;
}

constinit std::atomic<std::size_t> last_refused{0};

void* remember(void* block, std::size_t bytes) {
  if (!block) last_refused = bytes;
  if (!block) return block;
  const std::lock_guard lock(table_mutex);
  table().insert_or_assign(reinterpret_cast<std::uintptr_t>(block), bytes);
  return block;
}

void forget(void* block) {
  if (!block) return;
  const std::lock_guard lock(table_mutex);
  table().erase(reinterpret_cast<std::uintptr_t>(block));
}

std::optional<std::size_t> room_in_heap(std::uintptr_t address) {
  const std::lock_guard lock(table_mutex);
  auto block = table().upper_bound(address);
  if (block == table().begin()) return std::nullopt;
  --block;
  const std::size_t before = address - block->first;
  return before < block->second ? std::optional(block->second - before) : std::nullopt;
}

}  // namespace

std::size_t refused_bytes() { return last_refused; }

std::optional<std::size_t> room_at(std::uintptr_t address) {
  if (const auto room = room_in_heap(address)) return room;
  const Symbol* variable = OwnSymbols::read().variable_around(address);
  return variable ? std::optional(variable->bytes - (address - variable->address)) : std::nullopt;
}

}  // namespace tilelab_host

using tilelab_host::forget;
using tilelab_host::remember;

extern "C" {
void* malloc(std::size_t bytes) { return remember(__libc_malloc(bytes), bytes); }
void* calloc(std::size_t count, std::size_t bytes) { return remember(__libc_calloc(count, bytes), count * bytes); }
void free(void* block) {
  forget(block);
  __libc_free(block);
}
void* realloc(void* block, std::size_t bytes) {
  forget(block);
  return remember(__libc_realloc(block, bytes), bytes);
}
void* memalign(std::size_t alignment, std::size_t bytes) { return remember(__libc_memalign(alignment, bytes), bytes); }
void* aligned_alloc(std::size_t alignment, std::size_t bytes) { return remember(__libc_memalign(alignment, bytes), bytes); }
int posix_memalign(void** block, std::size_t alignment, std::size_t bytes) {
  void* place = __libc_memalign(alignment, bytes);
  if (!remember(place, bytes)) return ENOMEM;
  *block = place;
  return 0;
}
}
