// Stands in for the header of this name beside NVIDIA's samples: options of the form -name=value on the command line.
#pragma once

#include <strings.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef STRCASECMP
#define STRCASECMP strcasecmp
#endif
#ifndef STRNCASECMP
#define STRNCASECMP strncasecmp
#endif
#ifndef STRCPY
#define STRCPY(target, bytes, text) strcpy(target, text)
#endif
#ifndef FOPEN
#define FOPEN(file, name, mode) (file = fopen(name, mode))
#endif
#ifndef FOPEN_FAIL
#define FOPEN_FAIL(result) (result == nullptr)
#endif
#ifndef SPRINTF
#define SPRINTF sprintf
#endif

inline int stringRemoveDelimiter(char delimiter, const char* text) {
  int at = 0;
  while (text[at] == delimiter) ++at;
  return at >= static_cast<int>(std::strlen(text)) - 1 ? 0 : at;
}

namespace helper_string_on_cpu {
// What follows `name` in the first word that is the option of this name; null where none is.
inline const char* value_of(int count, const char** words, const char* name) {
  const std::size_t length = std::strlen(name);
  const std::size_t bare = length > 0 && name[length - 1] == '=' ? length - 1 : length;
  for (int i = 1; i < count; ++i) {
    const char* word = words[i] + stringRemoveDelimiter('-', words[i]);
    if (strncasecmp(word, name, bare) != 0 || (word[bare] != '\0' && word[bare] != '=')) continue;
    return word[bare] == '=' ? word + bare + 1 : word + bare;
  }
  return nullptr;
}
}  // namespace helper_string_on_cpu

inline bool checkCmdLineFlag(int count, const char** words, const char* name) {
  return helper_string_on_cpu::value_of(count, words, name) != nullptr;
}
inline int getCmdLineArgumentInt(int count, const char** words, const char* name) {
  const char* value = helper_string_on_cpu::value_of(count, words, name);
  return value ? std::atoi(value) : 0;
}
inline float getCmdLineArgumentFloat(int count, const char** words, const char* name) {
  const char* value = helper_string_on_cpu::value_of(count, words, name);
  return value ? static_cast<float>(std::atof(value)) : 0.0f;
}
inline bool getCmdLineArgumentString(int count, const char** words, const char* name, char** text) {
  const char* value = helper_string_on_cpu::value_of(count, words, name);
  *text = const_cast<char*>(value);
  return value != nullptr;
}
template <typename T>
bool getCmdLineArgumentValue(int count, const char** words, const char* name, T* number) {
  const char* value = helper_string_on_cpu::value_of(count, words, name);
  if (value) *number = static_cast<T>(std::atoi(value));
  return value != nullptr;
}
// A file beside the program, or in its folder for data.
inline char* sdkFindFilePath(const char* name, const char*) {
  for (const char* folder : {"", "data/"}) {
    const std::string path = std::string(folder) + name;
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (!file) continue;
    std::fclose(file);
    return strdup(path.c_str());
  }
  return nullptr;
}
