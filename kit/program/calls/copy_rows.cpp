#include "program/calls/copy_rows.hpp"

#include <algorithm>

namespace tilelab::program {

std::optional<CudaError> RowFinder::find(const HostRequest& request, const char* key, std::uint64_t address, const char* pitch,
                                         Rows& rows) {
  rows.rows = request.number("rows");
  rows.row_bytes = request.number("row_bytes");
  rows.pitch = rows.rows > 1 ? request.number(pitch) : rows.row_bytes;
  if (request.has((std::string(key) + "_x").c_str())) return find_in_array(request, key, rows);
  if (!is_of_device(address)) return std::nullopt;
  Allocation* one = session_.memory.near(address);
  const bool is_for_later = one != nullptr && one->is_of_graph && request.has("planned_by");
  if (one != nullptr && !one->is_live() && !is_for_later) return mistake(request, "use-after-free", key, one, rows);
  if (one == nullptr || one == session_.memory.heap())
    return mistake(request, "copy-size", key, nullptr, rows);  // CUDA does not copy from a kernel's heap
  if (one->shape) return CudaError::invalid_value;             // a handle of an array is no pointer
  rows.offset = address - one->address;
  const std::size_t room = rows.offset < one->bytes ? one->bytes - rows.offset : 0;
  const bool fits = rows.row_bytes <= room && rows.pitch != 0 && (rows.rows - 1) <= (room - rows.row_bytes) / rows.pitch;
  if (!fits) return mistake(request, "copy-size", key, one, rows);
  rows.memory = one;
  return std::nullopt;
}

CudaError RowFinder::mistake(const HostRequest& request, const char* kind, const char* key, const Allocation* one, const Rows& rows) {
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
  session_.record.host(kind, request.at(), std::move(numbers));
  return CudaError::invalid_value;
}

// One slice of a copy: bytes from a row's start, rows, slices. As many slices as the whole copy has left must be there. In a line, bytes
// run on from one row to the next.
std::optional<CudaError> RowFinder::find_in_array(const HostRequest& request, const char* key, Rows& rows) {
  const auto place = [&](const char* axis) { return request.number((std::string(key) + axis).c_str()); };
  const std::uint64_t address = request.number(key), x = place("_x"), y = place("_y"), z = place("_z");
  Allocation* one = session_.memory.near(address);
  if (one != nullptr && !one->is_live()) return mistake(request, "use-after-free", key, one, rows);
  const ArrayLevel* const level = one != nullptr && one->shape ? one->shape->level_at(address - one->address) : nullptr;
  if (level == nullptr) return CudaError::invalid_value;
  const std::uint64_t slices = request.number_or("slices", 1), texel = one->shape->format().texel_bytes();
  const auto past = [&](const char* part, std::uint64_t asked, std::uint64_t has, std::uint64_t from) {
    nlohmann::json numbers = about(*one);
    numbers.update(
        {{"op", "copy"}, {"side", key}, {"part", part}, {"bytes", asked}, {"room", has - std::min(has, from)}, {"offset", from}});
    session_.record.host("copy-size", request.at(), std::move(numbers));
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

}  // namespace tilelab::program
