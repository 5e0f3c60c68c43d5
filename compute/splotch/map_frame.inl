#pragma once

#include "compute/exec/named_range.h"
#include "compute/splotch/map_scatter.inl"
#include "compute/splotch/medium_tiles.h"
#include "compute/splotch/over_ranks.inl"
#include "compute/splotch/projection.h"
#include "compute/splotch/renderer.h"
#include "compute/splotch/sample.h"
#include "compute/splotch/shading.inl"
#include "core/check.h"

#include <memory>
#include <vector>

// A map's frame, once for both executors.
namespace haloscope::compute::splotch {

struct MapPixels {
  MapTarget target;
  double per_area;  // pixels in one world area, where emissions do not hold it
  float* rgb;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    rgb[3 * i + 1] = rgb[3 * i + 2] = 0;
    for (int c = 0; c < target.channels; ++c)
      rgb[3 * i + std::size_t(c)] =
          float(value(target.sums[c][i]) * target.quanta[c].quantum * per_area);
  }
};

// The map of all ranks, on the first of them. `target`: what this rank has drawn.
template <class Exec>
void sum_map_over_ranks(Exec& exec, const DrawingRanks& ranks, MapTarget target, double per_area,
                        Frame& frame) {
  {
    const TimedRange timer(frame.timings, "wait");
    frame.counts = of_all_ranks(ranks.ranks(), frame.counts);
  }
  RowsOfRanks<Exec> rows(exec, ranks, target.width, target.height);
  Buffer<float, Exec> rgb(exec, 3 * std::size_t(target.width) * std::size_t(target.height),
                          "image");
  {
    const TimedRange timer(frame.timings, "composite");
    for (int c = 0; c < target.channels; ++c) {
      rows.template sum<AddMapSums>(target.sums[c], 1);
      target.sums[c] += rows.first_pixel();
    }
    parallel_for(exec, "map image", rows.pixels(),
                 MapPixels{target, per_area, rgb.data() + 3 * rows.first_pixel()});
    exec.synchronize();
  }
  const TimedRange timer(frame.timings, "gather");
  frame.image = rows.to_first(rgb.data());
  frame.sent_bytes = rows.sent_bytes();
}

// The store is read twice: for the largest emission, which decides the quanta, and to draw. Its
// chunks are those of draw_frame(), and so are the ranks. Sums are exact, so
// `options.deterministic` changes nothing.
template <class Exec, class Store>
Frame draw_map(Exec& exec, Store& store, const View& view, const Domain& domain,
               const std::vector<Appearance>& appearances, const Options& options,
               Progress& progress, const DrawingRanks& ranks) {
  const float large_radius = large_radius_of(options);
  Frame frame;
  auto draw = std::make_unique<TimedRange>(frame.timings, "draw");
  const auto projector = make_projector<float>(view, domain, options.mode);
  const double scale = make_projector<double>(view, domain, options.mode).ortho_scale;
  const std::size_t pixels = std::size_t(view.width) * std::size_t(view.height);
  const StoredPalettes<Exec> palettes(exec, appearances);
  HALOSCOPE_CHECK(appearances.size(), ==, store.type_count());
  HALOSCOPE_CHECK(is_sample(options.sample), ==, true);
  frame.sample = store.usable_sample(options.sample, frame.timings);
  frame.motion_samples = store.motion_samples();
  const auto for_each_layer = [&](const auto& f) {
    store.for_each_chunk(frame.sample, [&](std::vector<Layer> layers,
                                           const std::vector<std::size_t>& types, double done) {
      progress.report("render", done);
      for (std::size_t k = 0; k < layers.size(); ++k) {
        layers[k].shading = make_shading(appearances[types[k]], options, frame.sample,
                                         layers[k].columns, palettes[types[k]]);
        f(layers[k]);
      }
    });
  };

  MapBounds bounds;
  for_each_layer([&](const Layer& layer) {
    bounds = LargerBounds{}(bounds, bound_emissions(exec, layer, projector));
    frame.counts.particles += layer.columns.count;
  });
  if (ranks.several())
    for (const MapBounds& other :
         ranks.ranks().all_gather<MapBounds>(std::span<const MapBounds>(&bounds, 1)))
      bounds = LargerBounds{}(bounds, other);
  MapTarget target;
  target.width = view.width;
  target.height = view.height;
  target.channels = bounds.emission[1] > 0 ? 2 : 1;
  Buffer<MapSum, Exec> sums(exec, pixels * std::size_t(target.channels), "map");
  exec.zero(sums.data(), sums.size() * sizeof(MapSum));
  for (int c = 0; c < target.channels; ++c) {
    target.quanta[c] = MapQuanta(bounds.emission[c]);
    target.sums[c] = sums.data() + std::size_t(c) * pixels;
  }
  for_each_layer([&](const Layer& layer) {
    if constexpr (!Exec::is_cuda)
      if (options.strategy != Strategy::Paper)
        return store.draw_map(layer, projector, target, frame.counts, frame.timings);
    const SplatTally tally =
        scatter_layer(exec, layer, projector, large_radius, target, frame.timings);
    add_to_counts(frame.counts, tally);
    if (!Exec::is_cuda) frame.counts.large_on_cpu += tally.by_class[std::size_t(Class::Large)];
  });
  exec.synchronize();
  draw.reset();

  const double per_area = view.perspective ? 1 : scale * scale;
  if (ranks.several()) {
    sum_map_over_ranks(exec, ranks, target, per_area, frame);
    return frame;
  }
  const TimedRange composite(frame.timings, "composite");
  frame.image = ImageF(view.width, view.height, 3);
  Buffer<float, Exec> rgb(exec, 3 * pixels, "image");
  parallel_for(exec, "map image", pixels, MapPixels{target, per_area, rgb.data()});
  exec.download(frame.image.pixels.data(), rgb.data(), 3 * pixels * sizeof(float));
  return frame;
}

}  // namespace haloscope::compute::splotch
