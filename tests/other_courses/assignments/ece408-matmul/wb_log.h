// wbLog and wbTime_…: lines on standard output. They are for the student and are not graded.
#pragma once

#include <chrono>
#include <map>

#include "wb_types.h"

// The text of all values, one after the other.
template <typename... Values>
inline string wbString(const Values&... values) {
  stringstream text;
  (void)(text << ... << values);
  return text.str();
}

namespace wb_log {

inline std::map<string, std::chrono::steady_clock::time_point>& started() {
  static std::map<string, std::chrono::steady_clock::time_point> times;
  return times;
}

inline void write(const char* level, int line, const string& text) {
  std::cout << "[" << level << "] line " << line << ": " << text << std::endl;
}

inline void start(const char* kind, const string& text) { started()[kind + (" " + text)] = std::chrono::steady_clock::now(); }

inline void stop(const char* kind, const string& text) {
  const auto found = started().find(kind + (" " + text));
  if (found == started().end()) return;
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - found->second;
  std::cout << "[" << kind << "] " << passed.count() << " ms: " << text << std::endl;
  started().erase(found);
}

}  // namespace wb_log

#define wbLog(level, ...) ::wb_log::write(#level, __LINE__, wbString(__VA_ARGS__))
#define wbTime_start(kind, ...) ::wb_log::start(#kind, wbString(__VA_ARGS__))
#define wbTime_stop(kind, ...) ::wb_log::stop(#kind, wbString(__VA_ARGS__))
