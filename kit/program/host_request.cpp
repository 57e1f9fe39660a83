// Implements host_request.hpp.
#include "program/host_request.hpp"

#include "protocol/strict_json.hpp"

namespace tilelab::program {

using nlohmann::json;

HostRequest::HostRequest(const std::string& frame) {
  value_ = json::parse(frame, nullptr, false);
  if (!value_.is_object()) throw BrokenRules("a request is no object");
  op_ = text("op", 32);
}

void HostRequest::refuse(const char* key) const { throw BrokenRules("request '" + op_ + "' has a bad value of '" + key + "'"); }

const json& HostRequest::at_key(const char* key) const {
  const auto found = value_.find(key);
  if (found == value_.end()) refuse(key);
  return *found;
}

std::uint64_t HostRequest::number(const char* key) const {
  const json& value = at_key(key);
  if (!value.is_number_unsigned()) refuse(key);
  return value.get<std::uint64_t>();
}

int HostRequest::small(const char* key) const {
  try {
    return strict::integer<int>(at_key(key));
  } catch (const json::exception&) {
    refuse(key);
  }
}

bool HostRequest::flag(const char* key) const {
  if (!has(key)) return false;
  const json& value = at_key(key);
  if (!value.is_boolean()) refuse(key);
  return value.get<bool>();
}

const std::string& HostRequest::text(const char* key, std::size_t longest) const {
  const json& value = at_key(key);
  if (!value.is_string() || value.get_ref<const std::string&>().size() > longest) refuse(key);
  return value.get_ref<const std::string&>();
}

protocol::Extent HostRequest::extent(const char* key) const {
  const json& value = at_key(key);
  if (!value.is_array() || value.size() != 3) refuse(key);
  unsigned parts[3] = {};
  for (std::size_t i = 0; i < 3; ++i) {
    if (!value[i].is_number_unsigned() || value[i].get<std::uint64_t>() > 0xFFFFFFFFu) refuse(key);
    parts[i] = value[i].get<unsigned>();
  }
  return {parts[0], parts[1], parts[2]};
}

std::vector<std::string> HostRequest::texts(const char* key, std::size_t most, std::size_t longest) const {
  const json& value = at_key(key);
  if (!value.is_array() || value.size() > most) refuse(key);
  std::vector<std::string> all;
  for (const json& one : value) {
    if (!one.is_string() || one.get_ref<const std::string&>().size() > longest) refuse(key);
    all.push_back(one.get<std::string>());
  }
  return all;
}

std::vector<std::uint64_t> HostRequest::numbers(const char* key, std::size_t most) const {
  const json& value = at_key(key);
  if (!value.is_array() || value.size() > most) refuse(key);
  std::vector<std::uint64_t> all;
  for (const json& one : value) {
    if (!one.is_number_unsigned()) refuse(key);
    all.push_back(one.get<std::uint64_t>());
  }
  return all;
}

MemoryKind HostRequest::kind() const {
  const std::string& name = text("kind", 16);
  if (name == "device") return MemoryKind::device;
  if (name == "managed") return MemoryKind::managed;
  if (name == "pinned") return MemoryKind::pinned;
  if (name == "array") return MemoryKind::array;
  refuse("kind");
}

}  // namespace tilelab::program
