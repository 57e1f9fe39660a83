// Implements host_request.hpp.
#include "program/host_request.hpp"

#include "protocol/message_fields.hpp"

namespace tilelab::program {

using nlohmann::json;

HostRequest::HostRequest(const std::string& frame) {
  value_ = json::parse(frame, nullptr, false);
  if (!value_.is_object()) throw BrokenRules("a request is no object");
  op_ = text("op", 32);
}

void HostRequest::refuse(const char* key) const { throw BrokenRules("request '" + op_ + "' has a bad value of '" + key + "'"); }

template <typename Read>
decltype(auto) HostRequest::read(const char* key, const Read& read) const try {
  return read(value_.at(key));
} catch (const json::exception&) {
  refuse(key);
}

std::uint64_t HostRequest::number(const char* key) const { return read(key, strict::integer<std::uint64_t>); }
int HostRequest::small(const char* key) const { return read(key, strict::integer<int>); }

bool HostRequest::flag(const char* key) const {
  return has(key) && read(key, [](const json& value) { return value.get<bool>(); });
}

const std::string& HostRequest::text(const char* key, std::size_t longest) const {
  const std::string& all = read(key, strict::text);
  return all.size() <= longest ? all : (refuse(key), all);
}

protocol::Extent HostRequest::extent(const char* key) const {
  return read(key, [](const json& value) { return value.get<protocol::Extent>(); });
}

template <typename T, typename Read>
std::vector<T> HostRequest::all(const char* key, std::size_t most, const Read& one) const {
  return read(key, [&](const json& value) {
    if (strict::list(value).size() > most) refuse(key);
    std::vector<T> all;
    for (const json& each : value) all.push_back(one(each));
    return all;
  });
}

std::vector<std::string> HostRequest::texts(const char* key, std::size_t most, std::size_t longest) const {
  return all<std::string>(key, most, [&](const json& one) {
    if (strict::text(one).size() > longest) refuse(key);
    return strict::text(one);
  });
}

std::vector<std::uint64_t> HostRequest::numbers(const char* key, std::size_t most) const {
  return all<std::uint64_t>(key, most, strict::integer<std::uint64_t>);
}

MemoryKind HostRequest::kind() const {
  const MemoryKind kind = read("kind", strict::enumerator<MemoryKind>);
  return kind != MemoryKind::variable ? kind : (refuse("kind"), kind);
}

}  // namespace tilelab::program
