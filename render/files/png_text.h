#pragma once

#include "render/files/image_file.h"

#include <string>

namespace haloscope::render {

// The text of a PNG that write_png wrote, without decoding its pixels: what stands before them in
// tEXt and uncompressed iTXt chunks. Throws Error when the file cannot be opened, NotThisFormat
// where it is no PNG, BadFile where it is cut off (its end is looked at, its pixels are not).
ImageText read_png_text(const std::string& path);

}  // namespace haloscope::render
