#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// A field projected onto a plane, for measuring.
struct ProjectedMap {
  int width = 0;
  int height = 0;
  std::vector<float> values;                      // height rows of width values, the top row first
  std::string quantity;                           // "surface_density", "mean:Temperature", …
  std::string unit;                               // of the values
  std::array<double, 4> extent{};                 // left, right, bottom, top edge in length_unit
  std::array<double, 2> pixel_size{};             // width, height of a pixel in length_unit
  std::string length_unit;                        // of extent and pixel_size
  std::map<std::string, std::string> provenance;  // how it was made: snapshot, camera, version, …
};

// Writes an HDF5 file with one dataset `map` (height x width, float32, row 0 = top), as which
// `imshow(map, extent=extent)` shows it the right way up. Its attributes: `quantity`, `units`,
// `extent`, `extent_unit`, `pixel_size` (same unit), `row_order` in words. The attributes of the
// group `provenance` tell how it was made. Texts are UTF-8 of variable length.
// Takes as much memory again as the values. Appears whole or not at all; throws what AtomicFile
// throws.
void write_map_hdf5(const std::string& path, const ProjectedMap& map);

// "surface_density [Msun/kpc^2], 512 x 512 pixels of 0.1 x 0.1 kpc" of such a file; nothing: it is
// another one, or cannot be read.
std::optional<std::string> own_map_in_words(const std::string& path);

}  // namespace haloscope::io
