// Gives a recorded trace the source's names: regions become named arrays, return addresses become lines.
#pragma once

#include "runner/image.hpp"
#include "runner/trace_message.hpp"
#include "simt/observers/trace_recorder.hpp"

namespace tilelab {

protocol::Trace named_trace(const std::vector<simt::TraceStep>& steps, bool complete, const Image& image);

}  // namespace tilelab
