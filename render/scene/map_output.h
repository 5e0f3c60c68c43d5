#pragma once

#include "compute/splotch/settings.h"
#include "core/image.h"
#include "core/snapshot_info.h"
#include "io/map_file.h"
#include "render/scene/render_request.h"

#include <map>
#include <string>
#include <vector>

namespace haloscope::render {

// A frame of map mode as a map with units: surface density in code masses per squared code length,
// or the mass-weighted mean of a field, NaN where there is no mass.
io::ProjectedMap make_map(const RenderRequest& request, const SnapshotInfo& info,
                          const std::vector<int>& types, const compute::splotch::View& view,
                          const ImageF& image,
                          const std::map<std::string, std::string>& provenance);

// Writes it as .hdf5, .exr (float) or .png (a picture: logarithmic between the 1 and 99.9 %
// quantiles of the positive values or --range, linear where there are none).
void write_map(const RenderRequest& request, const io::ProjectedMap& map);

}  // namespace haloscope::render
