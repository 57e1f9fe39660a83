#include "program/calls/operand_calls.hpp"

#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "program/memory/value_marks.hpp"

namespace tilelab::program {
namespace {

void load(const OperandDescription& operand, Allocation& place) {
  std::ifstream file(operand.content, std::ios::binary);
  file.read(place.content, static_cast<std::streamsize>(place.bytes));
  if (!file || file.peek() != std::ifstream::traits_type::eof())
    throw std::runtime_error(operand.content + " does not hold what the operand " + operand.name + " holds");
  mark_as_set(place.marks, 0, place.bytes);
  place.is_set = true;
}

void save(const std::string& path, const char* bytes, std::size_t count) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(count));
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

// One byte for each byte: 0 unset, 1 set by the host, 2 written by a kernel.
std::string origins(const Allocation& one) {
  std::string all(one.bytes, '\0');
  for (std::size_t i = 0; i < one.bytes; ++i) all[i] = static_cast<char>(none_set(one.marks, i, 1) ? 0 : 1);
  for_each_written_by_kernel(one.marks, 0, one.bytes,
                             [&](std::size_t first, std::size_t bytes) { std::memset(all.data() + first, 2, bytes); });
  return all;
}

}  // namespace

OperandCalls::OperandCalls(Session& session) : session_(session) {
  for (const OperandDescription& operand : session.description.operands) {
    if (operand.is_scalar || operand.bytes == 0) {
      places_.push_back(nullptr);
      continue;
    }
    Allocation* place = session.memory.allocate(operand.bytes, operand.on_host ? MemoryKind::pinned : MemoryKind::device, 0);
    if (place == nullptr) throw std::runtime_error("there is no room for the operand " + operand.name);
    place->operand = &operand.name;
    place->is_input = operand.is_input;
    place->is_for_host = operand.is_for_host;
    if (!operand.content.empty()) load(operand, *place);
    session.view.open(*place);
    session.record.allocation(*place, operand.name);
    places_.push_back(place);
  }
}

Reply OperandCalls::operands(const HostRequest& request) {
  const auto& all = session_.description.operands;
  if (request.number("count") != all.size()) {
    session_.record.end("internal", {{"detail", "the launcher has another number of parameters than the lab's problem has operands"}});
    throw RunOver("a launcher with other parameters");
  }
  Reply reply = reply_of(0);
  nlohmann::json& list = reply.value["operands"] = nlohmann::json::array();
  bool has_host_memory = false;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (places_[i] == nullptr) {
      list.push_back({{"value", all[i].value}, {"address", 0}});
      continue;
    }
    list.push_back({{"address", places_[i]->address}, {"bytes", places_[i]->bytes}});
    if (!all[i].on_host) continue;
    list.back()["offset"] = places_[i]->offset;
    has_host_memory = true;
  }
  if (has_host_memory) reply.descriptors = {session_.view.descriptor()};
  return reply;
}

void OperandCalls::finish(const HostRequest& request) {
  session_.order.host_waits_for_all();
  const Reply waited = session_.arrive(request.at());
  session_.view.take_in_all(request.at());
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const OperandDescription& operand = session_.description.operands[i];
    const std::string marks = places_[i] != nullptr ? origins(*places_[i]) : std::string();
    save(operand.keep, places_[i] != nullptr ? places_[i]->content : "", marks.size());
    save(operand.marks, marks.data(), marks.size());
  }
  session_.record.end("finished",
                      waited.value.contains("printed") ? nlohmann::json{{"printed", waited.value["printed"]}} : nlohmann::json::object());
}

}  // namespace tilelab::program
