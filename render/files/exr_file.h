#pragma once

#include "core/image.h"
#include "render/files/image_file.h"

#include <string>
#include <vector>

namespace haloscope::render {

enum class ExrPrecision {
  Half,   // 16 bits, 11 of them significant, up to 65504
  Float,  // 32 bits, as computed
};

// Writes linear light or physical values (1 to 4 channels) as a scan-line OpenEXR file with
// lossless ZIP compression. `channels` names them; empty means Y, or Y and A, or R G B, or R G B A.
// Each entry of `text` becomes a string attribute. In half precision, values beyond ±65504 are
// clamped to that, and their number is logged as a warning; NaN stays NaN. Appears whole or not at
// all; throws what AtomicFile throws.
void write_exr(const std::string& path, const ImageF& image, ExrPrecision precision,
               const std::vector<std::string>& channels = {}, const ImageText& text = {});

// Reads all channels of a scan-line or tiled file as float: R G B first, A last, the others between
// them by name. Fills `channels` with their names and `text` with the string attributes where
// given. Throws Error when it cannot be opened, NotThisFormat, BadFile when it is damaged, deep or
// subsampled.
ImageF read_exr(const std::string& path, std::vector<std::string>* channels = nullptr,
                ImageText* text = nullptr);

}  // namespace haloscope::render
