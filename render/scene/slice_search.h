#pragma once

#include "compute/exec/device.h"
#include "core/progress.h"
#include "core/timings.h"
#include "io/snapshot_reader.h"
#include "render/scene/particle_coloring.h"
#include "render/scene/render_request.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace haloscope::render {

struct SearchedSlice {
  ShownSlice slice;
  std::string note;  // a sentence about it; empty: none was asked for
};

// Takes the slice that `request` wants from what it searches for; `colors`: what was found for the
// particles' colors, which serves where it is the same search. Called as search_colors(), and
// throws as analysis::find_in.
SearchedSlice search_slice(const RenderRequest& request, const SearchedColors& colors,
                           compute::Device device, const io::SnapshotReader& reader,
                           Timings& timings, Progress& progress);

// What decides its pixels.
nlohmann::json describe(const ShownSlice& slice);

}  // namespace haloscope::render
