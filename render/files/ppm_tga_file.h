#pragma once

#include "core/image.h"

#include <string>

namespace haloscope::render {

// Which row a TGA file holds first; viewers turn the picture the right way up either way.
enum class TgaOrigin { TopLeft, BottomLeft };

// The plain formats that Splotch writes. Both hold 8-bit RGB: gray (1 or 2 channels) is repeated,
// alpha (channel 2 or 4) left out. Appear whole or not at all; throw what AtomicFile throws.

// Binary PPM ("P6", maximum 255), without comments: byte for byte what Splotch writes.
void write_ppm(const std::string& path, const Image8& image);

// Uncompressed 24-bit TGA. Throws Error for a side above 65535 pixels, which the format cannot
// hold.
void write_tga(const std::string& path, const Image8& image, TgaOrigin origin = TgaOrigin::TopLeft);

// Reads a binary PPM with maximum 255. Throws Error when it cannot be opened, NotThisFormat,
// BadFile when it is damaged or has another maximum.
Image8 read_ppm(const std::string& path);

}  // namespace haloscope::render
