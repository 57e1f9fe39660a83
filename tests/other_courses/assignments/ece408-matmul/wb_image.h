// wbImage_…: a picture of floats from 0 to 1, row by row, the channels of a pixel side by side; and wbImport of one from a PPM file (P6).
#pragma once

#include <fstream>

#include "wb_types.h"

struct wb_image {
  int width = 0, height = 0, channels = 3, pitch = 0;
  float* data = nullptr;
};
typedef wb_image* wbImage_t;

#define wbImage_channels 3
#define wbImage_getWidth(image) ((image)->width)
#define wbImage_getHeight(image) ((image)->height)
#define wbImage_getChannels(image) ((image)->channels)
#define wbImage_getPitch(image) ((image)->pitch)
#define wbImage_getData(image) ((image)->data)
#define wbImage_setData(image, value) ((image)->data = (value))

inline wbImage_t wbImage_new(int width, int height, int channels, float* data) {
  return new wb_image{width, height, channels, width * channels, data};
}

inline wbImage_t wbImage_new(int width, int height, int channels = wbImage_channels) {
  const size_t count = static_cast<size_t>(width) * static_cast<size_t>(height) * static_cast<size_t>(channels);
  return wbImage_new(width, height, channels, static_cast<float*>(calloc(count, sizeof(float))));
}

inline void wbImage_delete(wbImage_t image) {
  if (image != nullptr) free(image->data);
  delete image;
}

inline wbImage_t wbImport(const char* file) {
  std::ifstream in(file == nullptr ? "" : file, std::ios::binary);
  string kind;
  int width = 0, height = 0, brightest = 0;
  in >> kind >> width >> height >> brightest;
  in.get();
  if (!in || kind != "P6" || width <= 0 || height <= 0 || brightest <= 0 || brightest > 255) {
    std::cerr << "wbImport: " << (file == nullptr ? "a missing file" : file) << " is no picture (P6)" << std::endl;
    exit(1);
  }
  wbImage_t image = wbImage_new(width, height);
  const size_t count = static_cast<size_t>(width) * static_cast<size_t>(height) * wbImage_channels;
  for (size_t i = 0; i < count; ++i) image->data[i] = static_cast<float>(in.get()) / static_cast<float>(brightest);
  return image;
}
