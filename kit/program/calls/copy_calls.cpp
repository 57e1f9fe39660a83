// The program's calls that copy and fill memory, and the module's variables.
#include "program/session.hpp"

#include <algorithm>
#include <cstring>

#include "judge/process/runner_process.hpp"
#include "program/memory/device_memory.hpp"

namespace tilelab::program {

namespace {

CudaError mistake(Session& session, const HostRequest& request, const char* kind, const char* key, const Allocation* one,
                  const Rows& rows) {
  const std::uint64_t address = request.number(key);
  nlohmann::json numbers = one != nullptr ? about(*one) : nlohmann::json::object();
  numbers["op"] = request.op();
  numbers["side"] = key;
  numbers["address"] = address;
  const bool fits = rows.rows <= ~std::size_t{0} / std::max<std::size_t>(rows.row_bytes, 1);
  numbers["bytes"] = fits ? rows.rows * rows.row_bytes : ~std::size_t{0};
  numbers["rows"] = rows.rows;
  numbers["row_bytes"] = rows.row_bytes;
  if (one != nullptr) numbers["offset"] = address - one->address;
  if (one != nullptr) numbers["room"] = address - one->address < one->bytes ? one->bytes - (address - one->address) : 0;
  session.record.host(kind, request.at(), std::move(numbers));
  return CudaError::invalid_value;
}

// One slice of a copy: bytes from a row's start, rows, slices. As many slices as the whole copy has left must be there. In a line, bytes
// run on from one row to the next.
std::optional<CudaError> find_in_array(Session& session, const HostRequest& request, const char* key, Rows& rows) {
  const auto place = [&](const char* axis) { return request.number((std::string(key) + axis).c_str()); };
  const std::uint64_t address = request.number(key), x = place("_x"), y = place("_y"), z = place("_z");
  Allocation* one = session.memory.near(address);
  if (one != nullptr && !one->is_live()) return mistake(session, request, "use-after-free", key, one, rows);
  const ArrayLevel* const level = one != nullptr && one->shape ? one->shape->level_at(address - one->address) : nullptr;
  if (level == nullptr) return CudaError::invalid_value;
  const std::uint64_t slices = request.number_or("slices", 1), texel = one->shape->format().texel_bytes();
  const auto past = [&](const char* part, std::uint64_t asked, std::uint64_t has, std::uint64_t from) {
    nlohmann::json numbers = about(*one);
    numbers.update(
        {{"op", "copy"}, {"side", key}, {"part", part}, {"bytes", asked}, {"room", has - std::min(has, from)}, {"offset", from}});
    session.record.host("copy-size", request.at(), std::move(numbers));
    return CudaError::invalid_value;
  };
  const auto runs_past = [](std::uint64_t asked, std::uint64_t has, std::uint64_t from) { return from > has || asked > has - from; };
  rows.memory = one;
  rows.pitch = level->row_bytes;
  if (request.flag("line")) {
    const std::uint64_t from = y < level->extent[1] ? y * level->row_bytes + std::min<std::uint64_t>(x, level->bytes()) : level->bytes();
    if (rows.rows != 1 || runs_past(rows.row_bytes, level->bytes(), from)) return past("bytes", rows.row_bytes, level->bytes(), from);
    rows.offset = level->offset + from;
    rows.pitch = rows.row_bytes;
    return std::nullopt;
  }
  if (runs_past(rows.row_bytes, level->row_bytes, x)) return past("row", rows.row_bytes, level->row_bytes, x);
  if (runs_past(rows.rows, level->extent[1], y)) return past("rows", rows.rows, level->extent[1], y);
  if (runs_past(slices, level->extent[2], z)) return past("slices", slices, level->extent[2], z);
  if (x % texel != 0 || rows.row_bytes % texel != 0) return CudaError::invalid_value;
  rows.offset = level->offset + (z * level->extent[1] + y) * level->row_bytes + x;
  return std::nullopt;
}

// Finds the memory that the address under `key` leads to; the program's own memory has none. A mistake is recorded and gives CUDA's error.
std::optional<CudaError> find(Session& session, const HostRequest& request, const char* key, const char* pitch, Rows& rows) {
  const std::uint64_t address = request.number(key);
  rows.rows = request.number("rows");
  rows.row_bytes = request.number("row_bytes");
  rows.pitch = rows.rows > 1 ? request.number(pitch) : rows.row_bytes;
  if (request.has((std::string(key) + "_x").c_str())) return find_in_array(session, request, key, rows);
  if (address < device_first || address >= memory_end) return std::nullopt;
  Allocation* one = session.memory.near(address);
  const bool is_for_later = one != nullptr && one->is_of_graph && request.has("planned_by");
  if (one != nullptr && !one->is_live() && !is_for_later) return mistake(session, request, "use-after-free", key, one, rows);
  if (one == nullptr || one == session.memory.heap())
    return mistake(session, request, "copy-size", key, nullptr, rows);  // CUDA does not copy from a kernel's heap
  if (one->shape) return CudaError::invalid_value;                      // a handle of an array is no pointer
  rows.offset = address - one->address;
  const std::size_t room = rows.offset < one->bytes ? one->bytes - rows.offset : 0;
  const bool fits = rows.row_bytes <= room && rows.pitch != 0 && (rows.rows - 1) <= (room - rows.row_bytes) / rows.pitch;
  if (!fits) return mistake(session, request, "copy-size", key, one, rows);
  rows.memory = one;
  return std::nullopt;
}

constexpr std::uint64_t null_bytes = 4096;  // no memory of a program lies there
constexpr std::size_t most_variables = 4096, longest_symbol = 4096;

// Memory that only the device can use.
bool is_devices_only(const Allocation* memory) { return memory != nullptr && memory->address < shared_first; }

// CUDA lets managed and pinned memory stand for either side.
bool has_right_direction(Session& session, const HostRequest& request, CopyKind kind, const Rows& to, const Rows& from) {
  const bool to_host = kind == CopyKind::host_to_host || kind == CopyKind::device_to_host;
  const bool from_host = kind == CopyKind::host_to_host || kind == CopyKind::host_to_device;
  const auto fits = [](const Rows& side, bool host) { return host ? !is_devices_only(side.memory) : side.memory != nullptr; };
  if (kind == CopyKind::by_address || (fits(to, to_host) && fits(from, from_host))) return true;
  const bool meant_to_host = to.memory == nullptr, meant_from_host = from.memory == nullptr;
  const int meant = meant_from_host ? (meant_to_host ? 0 : 1) : meant_to_host ? 2 : 3;
  nlohmann::json numbers = {{"to", side_of(to.memory)}, {"from", side_of(from.memory)}, {"said", static_cast<int>(kind)}, {"meant", meant}};
  if (to.memory != nullptr) numbers["allocation"] = to.memory->index;
  if (from.memory != nullptr) numbers["from_allocation"] = from.memory->index;
  session.record.host("copy-direction", request.at(), std::move(numbers));
  return false;
}

void move_on_device(const Rows& to, const Rows& from) {
  for (std::size_t row = 0; row < to.rows; ++row) {
    const std::size_t there = to.offset + row * to.pitch, here = from.offset + row * from.pitch;
    std::memmove(to.memory->content + there, from.memory->content + here, to.row_bytes);
    copy_marks(to.memory->marks, there, from.memory->marks, here, to.row_bytes);
  }
}

void note_uses(Session& session, const HostRequest& request, const Rows& to, const Rows& from) {
  const Stamp stamp = session.order.submit(request.number_or("stream", 0));
  const bool async = request.flag("async"), may_overlap = session.order.may_overlap(request.number_or("stream", 0));
  const auto touched = [&](const Rows& side) {
    std::shared_ptr<const TouchedRuns> all;
    auto runs = may_overlap ? runs_of_rows(side.offset, side.rows, side.row_bytes, side.pitch, &side == &to) : std::nullopt;
    if (runs) all = std::make_shared<const TouchedRuns>(std::move(*runs));
    return all;
  };
  for (const Rows* side : {&from, &to}) {
    if (side->memory == nullptr) continue;
    if (side == &to)
      session.record.filled(*side->memory, request.at(), side->offset, side->offset + side->extent(), side->row_bytes, side->pitch);
    if (side == &from) session.record.taken(*side->memory, request.at(), side->offset + side->extent());
    const Use use{stamp, side->offset,   side->offset + side->extent(), side == &to, nullptr, request.at(),
                  1,     touched(*side), request.number_or("graph", 0)};
    session.use(*side->memory, use);
    if (use.writes && side->memory->is_input) session.record.host("input-modified", request.at(), about(*side->memory));
    if (async && side->memory->kind != MemoryKind::device && side->memory->kind != MemoryKind::variable)
      session.pending.guard(side->memory->address, side->memory->bytes, use, PendingWork::conflicts_of_copy(use));
  }
}

// What is copied to the host has no value, all of it or some elements: no kernel ran, or none wrote there.
void note_unset(Session& session, const HostRequest& request, const Rows& from) {
  if (from.memory == nullptr || from.memory->is_set) return;
  const Allocation& one = *from.memory;
  UnsetElements unset{.element_bytes = std::max<std::size_t>(one.writer.element_bytes, 1)};
  bool none = true;
  for (std::size_t row = 0; row < from.rows; ++row) {
    const std::size_t first = from.offset + row * from.pitch;
    none = none && none_set(one.marks, first, from.row_bytes);
    add_unset(unset, one, first, from.row_bytes);
  }
  if (none)
    session.record.host("never-set", request.at(), {{"allocation", one.index}, {"bytes", from.rows * from.row_bytes}});
  else if (unset.count != 0)
    session.record.partly_set(one, request.at(), unset);
}

// A copy that the host waits for has a reply like every call that waits. It waits for no node of a graph.
Reply finish(Session& session, const HostRequest& request, const Rows& to, const Rows& from, const char* direction) {
  const bool to_plain_host = to.memory == nullptr, between_devices = is_devices_only(to.memory) && is_devices_only(from.memory);
  Reply reply = reply_of(session.errors.sticky());
  if (!request.has("graph") && (to_plain_host || (!request.flag("async") && !between_devices))) {
    session.order.host_waits_for_stream(request.number_or("stream", 0));
    reply = session.arrive(request.at());
  }
  session.guard(reply);
  reply.value["direction"] = reply.value["error"] == 0 ? direction : "done";
  return reply;
}

}  // namespace

Reply copy(Session& session, const HostRequest& request) {
  const std::uint64_t kind = request.number("kind"), at = request.at();
  const std::string planned_by = request.has("planned_by") ? judge::tame(request.text("planned_by", 64), 64) : std::string();
  const auto fail = [&](CudaError error) {
    Reply reply = session.fail(planned_by.empty() ? "copy" : planned_by, error, at);
    reply.value["direction"] = "done";
    return reply;
  };
  if (kind > static_cast<std::uint64_t>(CopyKind::by_address)) return fail(CudaError::invalid_copy_direction);
  if (!session.order.knows_stream(request.number_or("stream", 0))) return fail(CudaError::invalid_handle);
  Rows to, from;
  // A device that a kernel has broken looks at nothing any more: what is wrong with the pointers may follow from that.
  if (session.errors.sticky() != 0) return finish(session, request, to, from, "done");
  const auto planned = [] { return Reply{.value = {{"error", 0}, {"direction", "done"}}}; };
  if (request.number("rows") == 0 || request.number("row_bytes") == 0)
    return planned_by.empty() ? finish(session, request, to, from, "done") : planned();
  const auto to_trouble = find(session, request, "to", "to_pitch", to);
  const auto from_trouble = find(session, request, "from", "from_pitch", from);
  if (to_trouble || from_trouble) return fail(to_trouble.value_or(CudaError::invalid_value));
  if (to.pitch < to.row_bytes || from.pitch < from.row_bytes) return fail(CudaError::invalid_pitch);
  for (const char* side : {"to", "from"}) {
    if (request.number(side) < null_bytes) return fail(CudaError::invalid_value);
  }
  if (!has_right_direction(session, request, static_cast<CopyKind>(kind), to, from)) return fail(CudaError::invalid_value);
  if (!planned_by.empty()) return planned();
  if (to.memory == nullptr && from.memory == nullptr) return finish(session, request, to, from, "host");
  const std::uint64_t stream = request.number_or("stream", 0);
  if (session.plan && to.memory == nullptr) session.plan->refuse("its host code reads from the GPU");
  if (session.plan && to.memory != nullptr && from.memory != nullptr) {
    session.plan->add_rows({{"op", "copy"}, {"stream", stream}}, to, &from);
    return finish(session, request, to, from, "done");
  }
  note_uses(session, request, to, from);
  for (const Rows* side : {&from, &to}) {
    if (side->memory != nullptr) session.view.take_in(*side->memory, at);
  }
  if (to.memory == nullptr && !request.flag("quiet")) note_unset(session, request, from);
  const bool between = to.memory != nullptr && from.memory != nullptr;
  Reply reply = finish(session, request, to, from, between ? "done" : to.memory != nullptr ? "write" : "read");
  if (reply.value["error"] != 0) return reply;
  if (between) {
    move_on_device(to, from);
    session.view.hand_out(*to.memory, to.offset, to.extent(), at);
  } else {
    session.transfer = Transfer{.rows = to.memory != nullptr ? to : from,
                                .to_device = to.memory != nullptr,
                                .at = at,
                                .host = request.number(to.memory != nullptr ? "from" : "to"),
                                .host_pitch = to.memory != nullptr ? from.pitch : to.pitch,
                                .stream = stream};
  }
  return reply;
}

Reply chunk(Session& session, const HostRequest& request) {
  if (!session.transfer) throw BrokenRules("bytes of no copy");
  Transfer& transfer = *session.transfer;
  const Rows& rows = transfer.rows;
  const std::size_t bytes = request.number("bytes"), left = rows.rows * rows.row_bytes - transfer.moved;
  if (bytes == 0 || bytes > staging_bytes || bytes > left) throw BrokenRules("more bytes than the copy has");
  for (std::size_t done = 0; done < bytes;) {
    const std::size_t row = transfer.moved / rows.row_bytes, column = transfer.moved % rows.row_bytes;
    const std::size_t some = std::min(bytes - done, rows.row_bytes - column), place = rows.offset + row * rows.pitch + column;
    if (transfer.to_device) {
      std::memcpy(rows.memory->content + place, session.staging + done, some);
      if (session.plan && transfer.host != 0)
        session.plan->sent(rows.memory->address + place, session.staging + done, some, transfer.stream);
      mark_as_set(rows.memory->marks, place, some);
      session.view.hand_out(*rows.memory, place, some, transfer.at);
      session.transfer_log.sent(transfer.at, transfer.host + row * transfer.host_pitch + column, rows.memory->content + place, some);
      session.reads.carry(rows.memory->content, place, some, rows.memory->bytes);
      session.altered.to_device(rows.memory->content, place, some, rows.memory->bytes);
    } else {
      std::memcpy(session.staging + done, rows.memory->content + place, some);
      session.show(*rows.memory, place, session.staging + done, some, transfer.at);
      session.transfer_log.received(transfer.at, transfer.host + row * transfer.host_pitch + column, *rows.memory, place, some);
    }
    done += some;
    transfer.moved += some;
  }
  if (transfer.moved == rows.rows * rows.row_bytes) session.transfer.reset();
  return reply_of(0);
}

Reply fill(Session& session, const HostRequest& request) {
  const std::uint64_t at = request.at(), width = request.number("width"), value = request.number("value");
  if (width != 1 && width != 2 && width != 4) throw BrokenRules("a value of an impossible width");
  const bool is_planned = request.has("planned_by");
  const std::string call = is_planned ? judge::tame(request.text("planned_by", 64), 64) : "fill";
  if (session.errors.sticky() != 0) return reply_of(session.errors.sticky());
  if (!session.order.knows_stream(request.number_or("stream", 0))) return session.fail(call, CudaError::invalid_handle, at);
  if (request.number("rows") == 0 || request.number("row_bytes") == 0) {
    if (value != 0) session.record.host("swapped-sizes", at, {{"call", "fill"}, {"value", value}});
    return reply_of(session.errors.sticky());
  }
  Rows to;
  const std::uint64_t address = request.number("to");
  if (address < device_first || address >= memory_end) {
    session.record.host("host-pointer-on-device", at, {{"call", "fill"}, {"address", address}});
    return session.fail(call, CudaError::invalid_value, at);
  }
  if (const auto trouble = find(session, request, "to", "pitch", to)) return session.fail(call, *trouble, at);
  if (to.pitch < to.row_bytes) return session.fail(call, CudaError::invalid_pitch, at);
  if (is_planned) return reply_of(0);
  if (session.plan) {
    session.plan->add_rows({{"op", "fill"}, {"value", value}, {"stream", request.number_or("stream", 0)}}, to);
    if (width != 1) session.plan->refuse("it fills memory with more than a byte");
    return reply_of(0);
  }
  note_uses(session, request, to, {});
  session.view.take_in(*to.memory, at);
  for (std::size_t row = 0; row < to.rows; ++row) {
    const std::size_t place = to.offset + row * to.pitch;
    char* const first = to.memory->content + place;
    if (width == 1)
      std::memset(first, static_cast<int>(value & 0xFF), to.row_bytes);
    else
      for (std::size_t i = 0; i < to.row_bytes; ++i) first[i] = static_cast<char>((value >> (8 * (i % width))) & 0xFF);
    mark_as_set(to.memory->marks, place, to.row_bytes);
    session.view.hand_out(*to.memory, place, to.row_bytes, at);
  }
  Reply reply = reply_of(0);
  session.guard(reply);
  return reply;
}

ModuleVariable* variable(Session& session, const std::string& name, std::size_t bytes, std::uint64_t at, bool shared) {
  const auto known = session.variables.find(name);
  if (known != session.variables.end()) return known->second.memory->bytes == bytes ? &known->second : nullptr;
  if (session.variables.size() >= most_variables || bytes == 0) return nullptr;
  Allocation* made = session.memory.allocate(bytes, MemoryKind::variable, at, shared);
  if (made == nullptr) return nullptr;
  session.record.allocation(*made, name);
  session.view.open(*made);
  return &(session.variables[name] = {.memory = made, .has_value = false});
}

Reply symbol(Session& session, const HostRequest& request) {
  const std::string& name = request.text("name", longest_symbol);
  const bool shared = request.has("kind") && request.text("kind", 16) == "managed";
  ModuleVariable* one = variable(session, name, request.number("bytes"), request.at(), shared);
  if (one == nullptr) return session.fail("symbol", CudaError::invalid_value, request.at());
  Allocation& memory = *one->memory;
  Reply reply{.value = {{"error", 0}, {"address", memory.address}, {"direction", one->has_value ? "done" : "write"}}};
  if (!one->has_value)
    session.transfer = Transfer{.rows = {.memory = &memory, .offset = 0, .rows = 1, .row_bytes = memory.bytes, .pitch = memory.bytes},
                                .to_device = true,
                                .at = request.at()};
  session.has_first_values_of_host = session.has_first_values_of_host || !one->has_value;
  one->has_value = true;
  if (memory.file() == protocol::ProgramFile::shared) {
    reply.value["offset"] = memory.offset;
    reply.descriptors = {session.view.descriptor()};
  }
  return reply;
}

}  // namespace tilelab::program
