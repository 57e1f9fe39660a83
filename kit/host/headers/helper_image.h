// Stands in for the header of this name beside NVIDIA's samples: pictures in PGM and PPM files with bytes, and numbers in text files.
// Memory that is handed out comes from malloc().
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <type_traits>
#include <vector>

namespace helper_image_on_cpu {

struct Picture {
  unsigned int width = 0, height = 0, channels = 0;
  std::vector<unsigned char> bytes;
};

// A number of the file's opening; comments begin with # and end with their line.
inline bool number(std::istream& file, unsigned int& value) {
  for (file >> std::ws; file.peek() == '#'; file >> std::ws) {
    std::string comment;
    std::getline(file, comment);
  }
  return static_cast<bool>(file >> value);
}

// P5: one byte for each pixel. P6: three.
inline bool load(const char* name, Picture& picture) {
  std::ifstream file(name, std::ios::binary);
  char sign[2] = {};
  unsigned int most = 0;
  if (!file.read(sign, 2) || sign[0] != 'P' || (sign[1] != '5' && sign[1] != '6')) return false;
  if (!number(file, picture.width) || !number(file, picture.height) || !number(file, most) || most > 255) return false;
  file.get();
  picture.channels = sign[1] == '5' ? 1 : 3;
  picture.bytes.resize(std::size_t{picture.width} * picture.height * picture.channels);
  return static_cast<bool>(file.read(reinterpret_cast<char*>(picture.bytes.data()), static_cast<std::streamsize>(picture.bytes.size())));
}

inline bool save(const char* name, const Picture& picture) {
  std::ofstream file(name, std::ios::binary);
  file << (picture.channels == 1 ? "P5" : "P6") << "\n" << picture.width << "\n" << picture.height << "\n255\n";
  file.write(reinterpret_cast<const char*>(picture.bytes.data()), static_cast<std::streamsize>(picture.bytes.size()));
  return static_cast<bool>(file);
}

// Floating-point numbers stand for bytes as fractions of 255.
template <typename T>
T from_byte(unsigned char byte) {
  return std::is_floating_point_v<T> ? static_cast<T>(byte) / static_cast<T>(255) : static_cast<T>(byte);
}
template <typename T>
unsigned char to_byte(T value) {
  if constexpr (std::is_floating_point_v<T>) return static_cast<unsigned char>(std::clamp(value, T{0}, T{1}) * 255);
  return static_cast<unsigned char>(value);
}

template <typename T>
T* room(T** data, std::size_t count) {
  if (*data == nullptr) *data = static_cast<T*>(std::malloc(std::max<std::size_t>(count, 1) * sizeof(T)));
  return *data;
}

}  // namespace helper_image_on_cpu

template <typename T>
bool sdkLoadPGM(const char* name, T** data, unsigned int* width, unsigned int* height) {
  helper_image_on_cpu::Picture picture;
  if (!helper_image_on_cpu::load(name, picture) || picture.channels != 1) return false;
  *width = picture.width;
  *height = picture.height;
  T* const to = helper_image_on_cpu::room(data, picture.bytes.size());
  std::transform(picture.bytes.begin(), picture.bytes.end(), to, helper_image_on_cpu::from_byte<T>);
  return true;
}
template <typename T>
bool sdkSavePGM(const char* name, T* data, unsigned int width, unsigned int height) {
  helper_image_on_cpu::Picture picture{width, height, 1, std::vector<unsigned char>(std::size_t{width} * height)};
  std::transform(data, data + picture.bytes.size(), picture.bytes.begin(), helper_image_on_cpu::to_byte<T>);
  return helper_image_on_cpu::save(name, picture);
}
// Four bytes for each pixel; the fourth is 0.
template <typename T>
bool sdkLoadPPM4(const char* name, T** data, unsigned int* width, unsigned int* height) {
  helper_image_on_cpu::Picture picture;
  if (!helper_image_on_cpu::load(name, picture) || picture.channels != 3) return false;
  *width = picture.width;
  *height = picture.height;
  const std::size_t pixels = picture.bytes.size() / 3;
  T* const to = helper_image_on_cpu::room(data, pixels * 4);
  for (std::size_t i = 0; i < pixels * 4; ++i) to[i] = i % 4 == 3 ? T{0} : static_cast<T>(picture.bytes[i / 4 * 3 + i % 4]);
  return true;
}
inline bool sdkLoadPPM4ub(const char* name, unsigned char** data, unsigned int* width, unsigned int* height) {
  return sdkLoadPPM4(name, data, width, height);
}
inline bool sdkSavePPM4ub(const char* name, unsigned char* data, unsigned int width, unsigned int height) {
  helper_image_on_cpu::Picture picture{width, height, 3, std::vector<unsigned char>(std::size_t{width} * height * 3)};
  for (std::size_t i = 0; i < picture.bytes.size(); ++i) picture.bytes[i] = data[i / 3 * 4 + i % 3];
  return helper_image_on_cpu::save(name, picture);
}

template <typename T>
bool sdkReadFile(const char* name, T** data, unsigned int* count, bool /*verbose*/) {
  std::ifstream file(name);
  std::vector<T> numbers;
  for (T one; file >> one;) numbers.push_back(one);
  if (numbers.empty()) return false;
  const std::size_t most = *data == nullptr ? numbers.size() : std::min<std::size_t>(numbers.size(), *count);
  T* const to = helper_image_on_cpu::room(data, numbers.size());
  std::copy_n(numbers.begin(), most, to);
  *count = static_cast<unsigned int>(most);
  return true;
}
// `epsilon` is written before the numbers, for a comparison later.
template <typename T, typename S>
bool sdkWriteFile(const char* name, const T* data, unsigned int count, const S epsilon, bool /*verbose*/, bool append = false) {
  std::ofstream file(name, append ? std::ios::app : std::ios::trunc);
  file << "# " << epsilon << "\n";
  for (unsigned int i = 0; i < count; ++i) file << data[i] << ' ';
  return static_cast<bool>(file);
}
