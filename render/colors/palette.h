#pragma once

#include <array>
#include <string>
#include <vector>

namespace haloscope::render {

// A color map: colors at equal steps, node k at k / (size − 1). Components in [0, 1] as the file
// stores them (display values); what they mean, light or optical depth, is the renderer's business.
struct Palette {
  std::string name;
  std::vector<std::array<float, 3>> colors;  // at least 2
};

// The palette of that name (palette_names(); upper and lower case are the same; "_r" appended:
// reversed), or the palette file of that name. Throws Error naming the nearest names when there is
// neither, BadFile for a malformed file.
Palette find_palette(const std::string& name_or_file);
// Whether that takes it for a file: by its ending, or a slash.
bool is_palette_file(const std::string& name_or_file);

// Reads Splotch's palette format: a line with a name, a line "0100", a line with the number N of
// colors, N lines "R G B" in 0..255 (fractions allowed). Lines behind those are ignored, as Splotch
// does, with a warning. Throws BadFile naming the line.
Palette read_palette(const std::string& path);

// Names of the palettes in assets/palettes, sorted; each also exists with "_r" appended.
std::vector<std::string> palette_names();

// The palette with its colors in opposite order; the name gains or loses "_r".
Palette reversed(Palette palette);

// Color at t, linear between nodes, clamped to the ends; NaN counts as 0.
std::array<float, 3> sample(const Palette& palette, float t);

}  // namespace haloscope::render
