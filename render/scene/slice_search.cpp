#include "render/scene/slice_search.h"

#include "analysis/finder.h"
#include "compute/exec/named_range.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <memory>
#include <utility>

namespace haloscope::render {

namespace {

std::shared_ptr<const analysis::Finding> found_for(const SliceSearch& asked,
                                                   const SearchedColors& colors,
                                                   compute::Device device,
                                                   const io::SnapshotReader& reader,
                                                   Timings& timings, Progress& progress) {
  const auto& known = colors.colors.finding;
  if (known && known->finder == asked.finder && known->options == asked.options) return known;
  const compute::TimedRange timer(timings, asked.finder.c_str());
  analysis::FindRequest search;
  search.device = device;
  search.only_labels = true;
  return analysis::find_in(reader, asked.finder, asked.options, search, progress);
}

}  // namespace

SearchedSlice search_slice(const RenderRequest& request, const SearchedColors& colors,
                           compute::Device device, const io::SnapshotReader& reader,
                           Timings& timings, Progress& progress) {
  if (!request.slice || !request.slice->choice.axis) return {};
  const SliceSearch& asked = *request.slice;
  if (request.mode == compute::splotch::Mode::Map) return {{}, "A map has no slice of a grid."};
  const std::size_t axis = *asked.choice.axis;
  const auto told = [&](const analysis::GridPlane& plane) {
    return fmt::format("Over the picture lies the {} at {} = {:.6g}.", plane.name, "xyz"[axis],
                       plane.position);
  };
  if (asked.known) return {asked.known, told(*asked.known.plane)};
  const auto found = found_for(asked, colors, device, reader, timings, progress);
  if (!found->peaks) return {{}, fmt::format("{} has no grid to be sliced.", asked.finder)};
  auto plane = analysis::take_plane(*found->peaks, axis, asked.choice.position);
  if (!plane)
    return {{},
            fmt::format("The grid has no slice at {} = {:.6g}: it ends before.", "xyz"[axis],
                        asked.choice.position)};
  std::string note = told(*plane);
  return {{std::make_shared<const analysis::GridPlane>(std::move(*plane)),
           analysis::grid_color(*found->peaks->tree), asked.choice},
          std::move(note)};
}

nlohmann::json describe(const ShownSlice& slice) {
  static const char* const kTransforms[] = {"lin", "log", "asinh"};
  const auto color = slice_color(slice);
  return {{"of", slice.plane->name},
          {"axis", std::string(1, "xyz"[slice.plane->axis])},
          {"position", slice.plane->position},
          {"cells", slice.plane->cells},
          {"opacity", slice.choice.opacity},
          {"palette", slice_palette(slice.choice.look)},
          {"transform", kTransforms[int(color.transform)]},
          {"transformed_range", {color.low, color.high}}};
}

}  // namespace haloscope::render
