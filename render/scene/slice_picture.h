#pragma once

#include "analysis/topology/grid_plane.h"
#include "compute/splotch/settings.h"
#include "core/image.h"
#include "render/scene/slice_choice.h"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>

namespace haloscope::render {

// A plane of a grid as it is shown.
struct ShownSlice {
  std::shared_ptr<const analysis::GridPlane> plane;  // null: none
  compute::splotch::Ranging automatic;  // scale and limits where the choice leaves them open
  SliceChoice choice;

  explicit operator bool() const { return plane != nullptr; }
  // By the plane that is held, not its values.
  bool operator==(const ShownSlice& other) const {
    return plane == other.plane && choice == other.choice;
  }
};

// Scale, limits and palette as they are drawn.
compute::splotch::Ranging slice_color(const ShownSlice& slice);
std::string slice_palette(const analysis::ColorChoice& look);

// The plane as a view sees it: premultiplied RGBA of the view's size, display values, row 0 on top.
// Each cell is one color, and values that a logarithm has not have the lowest one. Where the grid
// is that of a periodic box, the copy of the plane and of each cell that is nearest to the view's
// target is shown, as of particles. It knows nothing of what is before and behind it. Throws Error
// for a color map that does not exist.
Image8 slice_layer(const ShownSlice& slice, const compute::splotch::View& view);

// What is seen of a slice at a place of the view, in pixels: 0, 0 is the middle of the first one.
// Nothing: not the slice.
struct SeenCell {
  std::array<double, 3> point{};  // of the copy that is drawn
  std::size_t cell = 0;           // of the plane's values
};
std::optional<SeenCell> slice_under(const ShownSlice& slice, const compute::splotch::View& view,
                                    double x, double y);

// A picture of the view, RGB, with the slice over it; without one as it was.
Image8 with_slice(const Image8& picture, const ShownSlice& slice,
                  const compute::splotch::View& view);

}  // namespace haloscope::render
