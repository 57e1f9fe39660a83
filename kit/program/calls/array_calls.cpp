#include "program/calls/array_calls.hpp"

#include <memory>
#include <utility>

namespace tilelab::program {

ChannelFormat channels_of(const HostRequest& request) {
  return {.bits = {request.number("bits_x"), request.number("bits_y"), request.number("bits_z"), request.number("bits_w")},
          .kind = request.number("format")};
}

Reply ArrayCalls::array(const HostRequest& request) {
  const std::string& what = request.text("what", 16);
  if (what == "create") return create(request);
  if (what != "level" && what != "info") throw BrokenRules("an unknown call of arrays");
  const Allocation* one = session_.memory.near(request.number("address"));
  if (one == nullptr || !one->shape) return session_.fail("array", CudaError::invalid_handle, request.at());
  if (!one->is_live()) {
    session_.record.host("use-after-free", request.at(), about(*one));
    return session_.fail("array", CudaError::invalid_handle, request.at());
  }
  return what == "level" ? level(request, *one) : info(request, *one);
}

Reply ArrayCalls::create(const HostRequest& request) {
  const std::uint64_t at = request.at();
  const auto shape = ArrayShape::of({.channels = channels_of(request),
                                     .extent = {request.number("width"), request.number("height"), request.number("depth")},
                                     .flags = request.number("flags"),
                                     .levels = request.number("levels")});
  if (!shape) return session_.fail("array", CudaError::invalid_value, at);
  Allocation* made = session_.memory.allocate(shape->bytes(), MemoryKind::array, at);
  if (made == nullptr) return session_.fail("array", CudaError::memory_allocation, at);
  made->shape = std::make_shared<const ArrayShape>(*shape);
  session_.record.allocation(*made);
  return {.value = {{"error", 0}, {"address", made->address}, {"levels", shape->levels().size()}}};
}

Reply ArrayCalls::level(const HostRequest& request, const Allocation& array) {
  const std::uint64_t number = request.number("level");
  if (!array.shape->is_mipmapped() || array.address != request.number("address") || number >= array.shape->levels().size())
    return session_.fail("array", CudaError::invalid_value, request.at());
  return {.value = {{"error", 0}, {"address", array.address + array.shape->levels()[number].offset}}};
}

Reply ArrayCalls::info(const HostRequest& request, const Allocation& array) {
  const ArrayShape& shape = *array.shape;
  const ArrayLevel* const level = shape.level_at(request.number("address") - array.address);
  if (level == nullptr) return session_.fail("array", CudaError::invalid_handle, request.at());
  const ArrayRequest& asked = shape.request();
  const auto extent = [&](std::size_t d) { return asked.extent[d] == 0 ? 0 : level->extent[d]; };
  const auto& bits = asked.channels.bits;
  return {.value = {{"error", 0},
                    {"width", extent(0)},
                    {"height", extent(1)},
                    {"depth", extent(2)},
                    {"flags", asked.flags},
                    {"format", asked.channels.kind},
                    {"bits_x", bits[0]},
                    {"bits_y", bits[1]},
                    {"bits_z", bits[2]},
                    {"bits_w", bits[3]}}};
}

}  // namespace tilelab::program
