#include "render/files/image_file.h"

#include "core/error.h"
#include "core/text_values.h"
#include "render/files/png_file.h"
#include "render/files/ppm_tga_file.h"

#include <filesystem>

namespace haloscope::render {

std::string lower_extension(const std::string& path) {
  return lower_case(std::filesystem::path(path).extension().string());
}

std::string image_extension(const std::string& path) {
  const std::string extension = lower_extension(path);
  for (const char* known : {".png", ".exr", ".ppm", ".tga"})
    if (extension == known) return extension;
  const std::string what = extension.empty()
                               ? "the name of a picture needs an extension"
                               : "pictures cannot be written as " + extension + " files";
  throw Error(what, path, "use .png, .exr, .ppm or .tga");
}

void write_image8(const std::string& path, const Image8& image, const ImageText& text) {
  const std::string extension = image_extension(path);
  if (extension == ".png") return write_png(path, image, text);
  if (extension == ".ppm") return write_ppm(path, image);
  if (extension == ".tga") return write_tga(path, image, TgaOrigin::TopLeft);
  throw Error("an 8-bit picture cannot be written as an .exr file, which holds linear light", path,
              "use .png, .ppm or .tga");
}

}  // namespace haloscope::render
