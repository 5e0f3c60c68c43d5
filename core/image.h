#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace haloscope {

// A picture in memory: `channels` interleaved values per pixel, row 0 on top.
template <class T>
struct Image {
  int width = 0;
  int height = 0;
  int channels = 3;
  std::vector<T> pixels;

  Image() = default;
  Image(int w, int h, int c)
      : width(w),
        height(h),
        channels(c),
        pixels(std::size_t(w) * std::size_t(h) * std::size_t(c)) {}
  T* at(int x, int y) {
    return pixels.data() +
           (std::size_t(y) * std::size_t(width) + std::size_t(x)) * std::size_t(channels);
  }
  const T* at(int x, int y) const {
    return pixels.data() +
           (std::size_t(y) * std::size_t(width) + std::size_t(x)) * std::size_t(channels);
  }
};

using ImageF = Image<float>;         // linear light or physical values
using Image8 = Image<std::uint8_t>;  // display values

}  // namespace haloscope
