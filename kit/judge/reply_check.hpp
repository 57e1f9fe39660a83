// Reads a runner's reply, which a hostile submission may have written: refuses what no honest runner says, and bounds
// the rest, so that nothing downstream meets an endless, malformed or misleading string.
#pragma once

#include <optional>
#include <string>

#include "runner/protocol.hpp"

namespace tilelab::judge {

// Nothing when `text` is no reply. Otherwise at most 64 findings of known kinds and severities; strings are one line
// (what was printed: many), of bounded length, without control characters.
std::optional<protocol::LaunchReply> read_reply(const std::string& text);

// `text` as valid UTF-8 of at most `limit` bytes: bad bytes and control characters become U+FFFD.
std::string tame(const std::string& text, std::size_t limit, bool keep_lines = false);

}  // namespace tilelab::judge
