#include "program/calls/memory_calls.hpp"

#include "program/memory/memory_side.hpp"

namespace tilelab::program {

Reply MemoryCalls::allocate(const HostRequest& request) {
  const std::uint64_t bytes = request.number("bytes"), at = request.at();
  const bool is_hidden = request.flag("hidden");  // the library's own: nobody has to free it
  const MemoryKind kind = is_hidden ? MemoryKind::variable : request.kind();
  if (kind == MemoryKind::array) throw BrokenRules("an array without a shape");
  if (bytes == 0) return {.value = {{"error", 0}, {"address", 0}}};
  if (request.has("address")) return revive(request);
  const bool is_reserved = request.flag("reserved");  // for a node of a graph
  Allocation* made = is_reserved ? session_.memory.reserve(bytes, at) : session_.memory.allocate(bytes, kind, at);
  if (made == nullptr) return session_.fail("allocate", CudaError::memory_allocation, at);
  session_.record.allocation(*made, is_hidden ? "condition" : "");
  if (request.has("stream")) note_whole(request, *made);
  Reply reply{.value = {{"error", 0}, {"address", made->address}}};
  if (kind == MemoryKind::device || is_hidden) return reply;
  reply.value["offset"] = made->offset;
  session_.view.open(*made);
  reply.descriptors = {session_.view.descriptor()};
  return reply;
}

// Memory begins or ends in the order of a stream: kernels in other streams need an order with that.
void MemoryCalls::note_whole(const HostRequest& request, Allocation& one) {
  const std::uint64_t stream = request.number_or("stream", 0);
  if (!session_.order.knows_stream(stream)) return;
  Use whole{session_.order.submit(stream), 0, one.bytes, true, nullptr, request.at()};
  whole.graph = request.number_or("graph", 0);
  session_.use(one, whole);
}

// A node of a graph allocates.
Reply MemoryCalls::revive(const HostRequest& request) {
  const std::uint64_t address = request.number("address");
  Allocation* const one = session_.memory.near(address);
  if (one == nullptr || one->address != address || !one->is_of_graph) throw BrokenRules("an allocation where nothing is reserved");
  if (one->is_live()) return session_.fail("graph", CudaError::invalid_value, request.at());
  if (!session_.memory.revive(*one)) return session_.fail("graph", CudaError::memory_allocation, request.at());
  session_.record.revived(*one);
  note_whole(request, *one);
  return {.value = {{"error", session_.errors.sticky()}, {"address", address}}};
}

Reply MemoryCalls::free(const HostRequest& request) {
  const std::uint64_t address = request.number("address"), at = request.at();
  const bool by_host_free = request.kind() == MemoryKind::pinned, of_array = request.kind() == MemoryKind::array;
  Reply reply = reply_of(session_.errors.sticky());
  if (!request.flag("async")) {
    session_.order.host_waits_for_all();
    reply = session_.arrive(at);
  }
  if (address == 0) return reply;
  Allocation* one = session_.memory.near(address);
  const bool fits = one != nullptr && one->address == address && one->kind != MemoryKind::variable && one->operand == nullptr &&
                    by_host_free == (one->kind == MemoryKind::pinned) && of_array == (one->kind == MemoryKind::array) &&
                    (!of_array || one->shape->is_mipmapped() == request.flag("mipmapped"));
  if (!fits || !one->is_live()) {
    nlohmann::json numbers = one != nullptr ? about(*one) : nlohmann::json::object();
    numbers["address"] = address;
    numbers["what"] = one == nullptr                  ? "host"
                      : one == session_.memory.heap() ? "heap"
                      : one->operand != nullptr       ? "operand"
                      : one->address != address       ? "inside"
                                                      : "wrong-kind";
    numbers["memory"] = side_of(one);
    numbers["by_host_free"] = by_host_free;
    session_.record.host(fits ? "double-free" : "bad-free", at, std::move(numbers));
    reply.value["error"] = session_.errors.fail("free", CudaError::invalid_value, at);
    return reply;
  }
  reply.value["kind"] = side_of(one);
  if (request.flag("async")) note_whole(request, *one);
  session_.pending.forget(one->address);
  session_.memory.release(*one, at);
  session_.record.freed(*one);
  return reply;
}

Reply MemoryCalls::pointer(const HostRequest& request) {
  const std::uint64_t address = request.number("address");
  Allocation* one = session_.memory.containing(address);
  if (one == nullptr || !one->is_live()) return {.value = {{"error", 0}, {"kind", "host"}, {"base", 0}, {"bytes", 0}}};
  return {.value = {{"error", 0}, {"kind", side_of(one)}, {"base", one->address}, {"bytes", one->bytes}}};
}

}  // namespace tilelab::program
