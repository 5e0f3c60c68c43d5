#pragma once

#include "core/image.h"

#include <map>
#include <string>

namespace haloscope::render {

// What describes a picture inside its file: keyword → text (the scene, the program's version).
using ImageText = std::map<std::string, std::string>;

// The extension of any file in lower case with its dot (".HDF5" → ".hdf5"); empty where there is
// none.
std::string lower_extension(const std::string& path);

// The lower-case extension with its dot, one of .png, .exr, .ppm and .tga. Throws Error listing
// those for any other. Commands call this before long work.
std::string image_extension(const std::string& path);

// Writes a picture of display values (1 gray, 2 gray and alpha, 3 RGB, 4 RGBA channels) in the
// format that the extension names: .png carries `text`; .ppm and .tga hold RGB only, so that text
// and alpha are left out. Appears whole or not at all. Throws Error: unknown extension; .exr, which
// holds linear light (write_exr); what AtomicFile throws; a side longer than the format allows.
void write_image8(const std::string& path, const Image8& image, const ImageText& text = {});

}  // namespace haloscope::render
