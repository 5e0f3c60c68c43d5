#pragma once

#include "core/image.h"
#include "render/files/image_file.h"

#include <string>

namespace haloscope::render {

// Writes an 8-bit PNG (1 gray, 2 gray and alpha, 3 RGB, 4 RGBA channels) row by row, marked as
// sRGB. Each entry of `text` becomes a tEXt chunk where it is plain ASCII and an iTXt chunk (UTF-8)
// otherwise, both uncompressed and before the pixels, so that `strings` and `head` find them;
// keywords are 1 to 79 ASCII characters. Throws what AtomicFile throws, and Error for a side above
// libpng's limit of 1,000,000 pixels.
void write_png(const std::string& path, const Image8& image, const ImageText& text = {});

// The bytes of the same file, where it shall lie nowhere.
std::string png_bytes(const Image8& image, const ImageText& text = {});

// Reads a PNG as 8 bits per channel: palettes and fewer bits are expanded, 16 bits cut. Fills
// `text` where given. Throws Error when it cannot be opened, NotThisFormat, BadFile when it is
// damaged.
Image8 read_png(const std::string& path, ImageText* text = nullptr);

}  // namespace haloscope::render
