#pragma once

#include "compute/splotch/settings.h"
#include "core/image.h"
#include "core/snapshot_info.h"
#include "io/map_file.h"
#include "render/scene/map_picture.h"
#include "render/scene/render_request.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace haloscope::render {

// The map that a request asks for: that of --map, or that of a state in place of light.
MapLook map_of(const RenderRequest& request);
// Whether its values are written, and not a picture.
bool is_map_of_numbers(const RenderRequest& request);
// Throws Error where such a map would be seen in perspective: its pixels have no area then.
// `remedy`: what makes the view parallel.
void require_parallel(const RenderRequest& request, const compute::splotch::View& view,
                      const std::string& remedy = "give --ortho WIDTH");

// Done to the display values of a map before they are written; with the scale and the limits that
// they have.
using FinishMap =
    std::function<Image8(const Image8& picture, const compute::splotch::Ranging& color)>;

// A frame of map mode as a map with units: surface density in code masses per squared code length,
// or the mass-weighted mean of a field, NaN where there is no mass.
io::ProjectedMap make_map(const RenderRequest& request, const SnapshotInfo& info,
                          const std::vector<int>& types, const compute::splotch::View& view,
                          const ImageF& image,
                          const std::map<std::string, std::string>& provenance);

// Writes it as .hdf5, .exr (float) or .png (a picture: colored_map() with map_ranging(), or with
// --range).
void write_map(const RenderRequest& request, const io::ProjectedMap& map,
               const FinishMap& finish = {});

}  // namespace haloscope::render
