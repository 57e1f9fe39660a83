// printf as a kernel may call it. The format is interpreted step by step. Only conversions that CUDA documents are passed on; %n
// is not one of them, and neither are %zu and %.*f: on a GPU they print something else, and so does what follows (seen on an H200). A
// string is read only if it lies in memory that the submission owns; where one does not, the place that it is read from is announced when
// all is printed, and so is where %n would write. Printing costs steps, as many as there are characters to read and to write. So a kernel
// that prints without end comes to the end of its budget.
#include "executor/device_impl/device_printf.hpp"

#include <algorithm>
#include <cctype>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "executor/device_impl/announcing.hpp"
#include "executor/submission/submission_data.hpp"

namespace tilelab::simt {
namespace {

std::string printed;
std::size_t most_bytes = max_printed_bytes;

// The first argument of the present call that points to memory which is not the submission's.
struct {
  std::uintptr_t address = 0;
  bool written = false;  // by %n
} stray_argument;

void note_argument(const void* pointer, bool written) {
  if (stray_argument.address == 0) stray_argument = {reinterpret_cast<std::uintptr_t>(pointer), written};
}

// Strings that the present call has read in memory of the device. They are announced when nothing of the call is left.
constexpr std::size_t most_strings = 8;
struct {
  std::uintptr_t address[most_strings] = {};
  std::size_t bytes[most_strings] = {}, count = 0;
} device_strings;

void note_string(const char* address, std::size_t bytes) {
  if (bytes == 0 || device_strings.count == most_strings) return;
  device_strings.address[device_strings.count] = reinterpret_cast<std::uintptr_t>(address);
  device_strings.bytes[device_strings.count++] = bytes;
}

void append(const char* text, std::size_t bytes) {
  if (printed.size() < most_bytes) printed.append(text, std::min(bytes, most_bytes - printed.size()));
}

constexpr std::size_t longest_string = 4096;

// The text at `address`, up to its end, to `most` characters, or to the end of the memory that a kernel may read.
std::string submission_string(const char* address, std::size_t most = longest_string) {
  std::string text;
  std::size_t of_device = 0;
  for (const char* p = address; text.size() < most; ++p) {
    const auto place = reinterpret_cast<std::uintptr_t>(p);
    if (!owned_by_submission(place)) {
      if (!Machine::current().holds(place)) {
        note_string(address, of_device);
        note_argument(p, false);
        return "(unreadable)";
      }
      of_device = text.size() + 1;
    }
    if (*p == '\0') break;
    text += *p;
  }
  note_string(address, of_device);
  return text;
}

// How many characters of a string "%.3s" reads. A negative precision is none.
std::size_t precision_of(const std::string& specification) {
  const std::size_t point = specification.find('.');
  const int asked = point == std::string::npos ? -1 : std::atoi(specification.c_str() + point + 1);
  return asked < 0 ? longest_string : static_cast<std::size_t>(asked);
}

// A width or precision beyond what is kept of one conversion would only keep the library busy.
constexpr std::size_t most_digits = 3;
constexpr int most_width = 999;

enum class Length : std::uint8_t { char_, short_, none, long_, long_long };

void convert(const std::string& specification, char conversion, Length length, std::va_list* arguments) {
  char text[512];
  const auto is_one_of = [conversion](const char* some) { return std::strchr(some, conversion) != nullptr; };
  const auto put = [&](auto value) {
    const int size = std::snprintf(text, sizeof text, specification.c_str(), value);
    if (size > 0) append(text, std::min(static_cast<std::size_t>(size), sizeof text - 1));
  };
  if (conversion == 'c' || (is_one_of("diuxXo") && length <= Length::none)) {
    const int value = va_arg(*arguments, int);
    const bool is_signed = is_one_of("di");
    put(length == Length::short_  ? is_signed ? static_cast<short>(value) : static_cast<unsigned short>(value)
        : length == Length::char_ ? is_signed ? static_cast<signed char>(value) : static_cast<unsigned char>(value)
                                  : value);
  } else if (is_one_of("diuxXo")) {
    length == Length::long_ ? put(va_arg(*arguments, long)) : put(va_arg(*arguments, long long));
  } else if (is_one_of("fFeEgGaA")) {
    put(va_arg(*arguments, double));
  } else if (conversion == 'p') {
    put(va_arg(*arguments, void*));
  } else if (conversion == 's') {
    const char* const from = va_arg(*arguments, const char*);
    put(from == nullptr ? "(null)" : submission_string(from, precision_of(specification)).c_str());
  } else {
    if (conversion == 'n') note_argument(va_arg(*arguments, int*), true);
    append(specification.data(), specification.size());
  }
}

// Returns how many arguments were printed.
int print(const std::string& format, std::va_list* arguments) {
  int parsed = 0;
  for (std::size_t i = 0; i < format.size(); ++i) {
    if (format[i] != '%') {
      append(&format[i], 1);
      continue;
    }
    std::string specification = "%";
    Length length = Length::none;
    bool known = true;
    std::size_t j = i + 1, digits = 0;
    for (; j < format.size() && std::strchr("-+ #0123456789.*hlzjt", format[j]) != nullptr && specification.size() < 24; ++j) {
      if (format[j] == 'h') {
        length = length == Length::none ? Length::short_ : Length::char_;
        continue;
      }
      if (format[j] == '*') {
        known = known && format[j - 1] != '.';
        specification += std::to_string(std::clamp(va_arg(*arguments, int), -most_width, most_width));
        continue;
      }
      if (format[j] == 'l') length = length == Length::none ? Length::long_ : Length::long_long;
      if (std::strchr("zjt", format[j]) != nullptr) length = Length::long_, known = false;
      digits = std::isdigit(static_cast<unsigned char>(format[j])) != 0 ? digits + 1 : 0;
      if (digits > most_digits) continue;
      specification += format[j];
    }
    if (j >= format.size()) return parsed;
    if (format[j] == '%') {
      append("%", 1);
    } else {
      const std::size_t before = printed.size();
      convert(specification + format[j], format[j], length, arguments);
      if (!known) {
        printed.resize(before);
        const std::string said = "(a kernel's printf has no " + format.substr(i, j + 1 - i) + ")";
        append(said.data(), said.size());
      }
      ++parsed;
    }
    i = j;
  }
  return parsed;
}

}  // namespace

const std::string& printed_text() { return printed; }
void allow_printing(std::size_t bytes) { most_bytes = bytes; }

}  // namespace tilelab::simt

// In pieces, as a loop over its bytes would read it. A macro, as the caller's frame is found through our own.
#define TILELAB_ANNOUNCE_STRINGS()                                                                  \
  for (std::size_t one = 0; one < tilelab::simt::device_strings.count; ++one)                       \
    for (std::size_t at = 0, bytes = tilelab::simt::device_strings.bytes[one]; at < bytes; at += 4) \
  TILELAB_ANNOUNCE(tilelab::simt::device_strings.address[one] + at, std::min<std::size_t>(4, bytes - at), read)

extern "C" {

int tilelab_printf(const char* format, ...) {
  tilelab::simt::Machine::current().edge(TILELAB_PC);
  if (tilelab::simt::printed_text().size() >= tilelab::simt::most_bytes) return 0;  // further output is dropped anyway
  const std::size_t before = tilelab::simt::printed_text().size();
  tilelab::simt::stray_argument = {};
  tilelab::simt::device_strings.count = 0;
  std::size_t read = 0;
  int parsed = 0;
  {
    const std::string text = tilelab::simt::submission_string(format);
    std::va_list arguments;
    va_start(arguments, format);
    parsed = tilelab::simt::print(text, &arguments);
    va_end(arguments);
    read = text.size();
  }
  // Last: the launch may end here, and then nothing of this function may be left.
  tilelab::simt::Machine::current().spend(TILELAB_PC, read + tilelab::simt::printed_text().size() - before);
  TILELAB_ANNOUNCE_STRINGS();
  if (const auto [address, written] = tilelab::simt::stray_argument; written)
    TILELAB_ANNOUNCE(address, sizeof(int), write);
  else if (address != 0)
    TILELAB_ANNOUNCE(address, 1, read);
  return parsed;  // as CUDA's, and not how many characters
}

int tilelab_puts(const char* text) {
  tilelab::simt::stray_argument = {};
  tilelab::simt::device_strings.count = 0;
  std::size_t size = 0;
  {
    const std::string line = tilelab::simt::submission_string(text) + "\n";
    tilelab::simt::append(line.data(), line.size());
    size = line.size();
  }
  tilelab::simt::Machine::current().spend(TILELAB_PC, size);
  TILELAB_ANNOUNCE_STRINGS();
  if (const auto address = tilelab::simt::stray_argument.address; address != 0) TILELAB_ANNOUNCE(address, 1, read);
  return static_cast<int>(size);
}

int tilelab_putchar(int character) {
  const char one = static_cast<char>(character);
  tilelab::simt::append(&one, 1);
  tilelab::simt::Machine::current().spend(TILELAB_PC);
  return character;
}

void tilelab_assert_fail(const char* expression, const char*, unsigned, const char*) {
  const std::string text = "assertion failed: " + tilelab::simt::submission_string(expression) + "\n";
  tilelab::simt::append(text.data(), text.size());
  tilelab::simt::Machine::current().trap("fails an assert()", TILELAB_PC);
}

}  // extern "C"
