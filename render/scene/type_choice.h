#pragma once

#include "analysis/color_choice.h"
#include "compute/splotch/settings.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::render {

using analysis::ColorChoice;

// How the user wants one particle type shown, beside the program's own choice for it; what is empty
// or 1 is left to that.
struct TypeChoice : ColorChoice {
  std::optional<bool> shown;  // empty: as the type is at first
  double brightness = 1;      // beside the other types
  double smoothing = 1;       // factor on its smoothing lengths
  std::string field;
  bool operator==(const TypeChoice&) const = default;
};

// Whether a type is drawn; `at_first`: where the choice leaves that open.
bool is_shown(const TypeChoice& choice, bool at_first = true);

// The scale and the limits of a color, as the program chose them, with what the user wants of them.
// Limits that a logarithm has not are left out.
compute::splotch::Ranging chosen_color(const ColorChoice& choice, compute::splotch::Ranging color);

// Changes an appearance of the default mode, as the program chose it, to what the user wants; all
// but the field, which is read with the particles. Throws Error for a color map that does not
// exist.
void apply_choice(const TypeChoice& choice, compute::splotch::Appearance& appearance,
                  bool shown_at_first = true);

// Nodes of a palette as linear light: palettes hold display values. Throws as find_palette().
std::vector<std::array<float, 3>> linear_nodes(const std::string& palette);

// A limit of a color in the field's own units → transformed, and back.
double transformed(compute::splotch::Transform transform, double value);
double in_field_units(compute::splotch::Transform transform, double limit);

}  // namespace haloscope::render
