// Puts a recorded trace into the protocol's words: regions become named arrays, return addresses become lines.
#pragma once

#include "runner/image.hpp"
#include "runner/trace_message.hpp"
#include "simt/observers/trace_recorder.hpp"

namespace tilelab {

protocol::Trace in_words(const std::vector<simt::TraceStep>& steps, bool complete, const Image& image);

}  // namespace tilelab
