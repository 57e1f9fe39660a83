// Replaces addresses in a recorded trace by names from the source: regions become arrays, return addresses become lines.
#pragma once

#include "protocol/trace_message.hpp"
#include "runner/submission/image.hpp"
#include "simt/observers/trace_recorder.hpp"

namespace tilelab {

protocol::Trace named_trace(simt::TraceRecorder& recorded, const Image& image);

}  // namespace tilelab
