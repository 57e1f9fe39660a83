// Reads a runner's reply, which a hostile submission may have written. It refuses what no honest runner says, and limits the
// length of the rest, so that later code never meets an endless, malformed or misleading string.
#pragma once

#include <optional>
#include <string>

#include "protocol/protocol.hpp"

namespace tilelab::judge {

// Returns nothing if `text` is no reply. Otherwise there are at most 64 findings of known kinds and severities. Strings are one
// line (printed output: many), of limited length, without control characters.
std::optional<protocol::LaunchReply> read_reply(const std::string& text, std::size_t max_printed = 16 * 1024);

// `text` as valid UTF-8 of at most `limit` bytes: bad bytes and control characters become U+FFFD.
std::string tame(const std::string& text, std::size_t limit, bool keep_lines = false);

}  // namespace tilelab::judge
