#pragma once

#include "compute/exec/buffer.h"
#include "compute/exec/named_range.h"
#include "compute/splotch/large_cpu.h"
#include "compute/splotch/layer.h"
#include "compute/splotch/medium_tiles.h"
#include "compute/splotch/tally_splats.inl"
#include "core/timings.h"

#include <thrust/copy.h>
#include <thrust/functional.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/reduce.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/tuple.h>

#include <algorithm>
#include <exception>
#include <future>
#include <vector>

// The scheme of Rivi et al. 2014 (§4, Fig. 3), whole: the baseline that our own strategy is
// measured against, and its reference in the tests. Numbers in comments are the steps of their
// Fig. 3.
namespace haloscope::compute::splotch {

// Tile index of a particle (§4): −2 inactive, −1 large, tile for medium, tile count for small.
enum : std::int32_t { kInactiveKey = -2, kLargeKey = -1 };

struct ClassOfKey {
  const std::int32_t* keys;
  std::int32_t small_key;
  HALOSCOPE_HD Class operator()(std::uint64_t i) const {
    const std::int32_t key = keys[i];
    return key == kInactiveKey ? Class::Inactive
           : key == kLargeKey  ? Class::Large
           : key == small_key  ? Class::Small
                               : Class::Medium;
  }
};

template <Mode M>
struct Rasterize {
  Projector<Real<M>> projector;
  Columns columns;
  Shading shading;
  PaperTiling tiling;
  Splat* splats;
  std::int32_t* keys;

  HALOSCOPE_HD void operator()(std::size_t i) const {
    Splat splat{};
    switch (make_splat_of<M>(projector, columns, i, shading, PaperTiling::kBoundary, splat)) {
      case Class::Inactive:
        keys[i] = kInactiveKey;
        return;
      case Class::Large:
        keys[i] = kLargeKey;
        break;
      case Class::Small:
        keys[i] = tiling.count();
        break;
      case Class::Medium:
        keys[i] = tiling.tile_of(splat.ix, splat.iy);
        break;
    }
    splats[i] = splat;
  }
};

struct IsKey {
  std::int32_t key;
  HALOSCOPE_HD bool operator()(std::int32_t k) const { return k == key; }
};

struct IsNotTiled {
  template <class Tuple>
  HALOSCOPE_HD bool operator()(const Tuple& t) const {
    return thrust::get<0>(t) < 0;
  }
};

struct Rgb {
  float r, g, b;
};
struct AddRgb {
  HALOSCOPE_HD Rgb operator()(const Rgb& a, const Rgb& b) const {
    return {a.r + b.r, a.g + b.g, a.b + b.b};
  }
};

template <class P>
struct SmallFragment {
  const Splat* splats;
  int width;
  std::int32_t* pixels;
  Rgb* fragments;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    const Splat& s = splats[i];
    const float w = P::small_weight(-s.fx, -s.fy, s.radius);
    pixels[i] = s.iy * width + s.ix;
    fragments[i] = {w * s.emission[0], w * s.emission[1], w * s.emission[2]};
  }
};

struct AddFragment {
  const std::int32_t* pixels;
  const Rgb* fragments;
  float* image;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    float* p = image + 4 * std::size_t(pixels[i]);
    p[0] += fragments[i].r;
    p[1] += fragments[i].g;
    p[2] += fragments[i].b;
  }
};

// Draws one chunk that is in the executor's memory; adds to `image` (RGBA, A unused) and to
// `large_image` on the host (RGBA too).
template <Mode M, class Exec>
void paper_chunk(Exec& exec, const Layer& layer, const Projector<Real<M>>& projector, float* image,
                 float* large_image, Counts& counts, Timings& timings) {
  const std::size_t n = layer.columns.count;
  if (n == 0) return;
  const PaperTiling tiling(projector.width, projector.height);
  Buffer<Splat, Exec> splats(exec, n, "projected particles");
  Buffer<std::int32_t, Exec> keys(exec, n, "tile indices");

  auto phase = [&](const char* name) {
    struct Phase {
      Exec& exec;
      TimedRange timer;
      int entered = std::uncaught_exceptions();
      // A device error is told once, not again while it unwinds.
      ~Phase() noexcept(false) {
        if (std::uncaught_exceptions() == entered) exec.synchronize();
      }
    };
    return Phase{exec, TimedRange(timings, name)};
  };

  {  // 2. Rasterization
    auto timed = phase("project");
    parallel_for(
        exec, "rasterize", n,
        Rasterize<M>{projector, layer.columns, layer.shading, tiling, splats.data(), keys.data()});
  }

  add_to_counts(counts, tally_splats(exec, splats.data(), ClassOfKey{keys.data(), tiling.count()},
                                     n, float(projector.width) * float(projector.height)));

  std::size_t n_large = 0, n_tiled = 0, n_small = 0;
  std::vector<Splat> large;
  Buffer<std::int32_t, Exec> tile_ids(exec, std::size_t(tiling.count()) + 1, "tile list");
  Buffer<std::int32_t, Exec> tile_ends(exec, std::size_t(tiling.count()) + 1, "tile ends");
  std::size_t n_tiles = 0;
  {
    auto timed = phase("sort");
    // 3, 4. Large particles leave for the host.
    const auto large_count =
        thrust::count_if(exec.policy(), keys.begin(), keys.end(), IsKey{kLargeKey});
    n_large = std::size_t(large_count);
    if (n_large > 0) {
      Buffer<Splat, Exec> selected(exec, n_large, "large particles");
      thrust::copy_if(exec.policy(), splats.begin(), splats.end(), keys.begin(), selected.begin(),
                      IsKey{kLargeKey});
      large.resize(n_large);
      exec.download(large.data(), selected.data(), n_large * sizeof(Splat));
    }
    // 5. Remove them and the inactive ones.
    auto zipped = thrust::make_zip_iterator(thrust::make_tuple(keys.begin(), splats.begin()));
    const auto end =
        thrust::remove_if(exec.policy(), zipped, zipped + std::ptrdiff_t(n), IsNotTiled{});
    n_tiled = std::size_t(end - zipped);
    // 6. Sort by tile, small ones last.
    thrust::stable_sort_by_key(exec.policy(), keys.begin(), keys.begin() + n_tiled, splats.begin());
    // 7. Where each tile's particles end.
    const auto ends = thrust::reduce_by_key(exec.policy(), keys.begin(), keys.begin() + n_tiled,
                                            thrust::make_constant_iterator(std::int32_t(1)),
                                            tile_ids.begin(), tile_ends.begin());
    n_tiles = std::size_t(ends.first - tile_ids.begin());
    thrust::inclusive_scan(exec.policy(), tile_ends.begin(), tile_ends.begin() + n_tiles,
                           tile_ends.begin());
    n_small = std::size_t(thrust::count_if(exec.policy(), keys.begin(), keys.begin() + n_tiled,
                                           IsKey{tiling.count()}));
    if (n_small > 0) --n_tiles;
  }
  const std::size_t n_medium = n_tiled - n_small;

  // 10. Large particles on the host, while the device works on the rest.
  std::future<double> large_work;
  if (n_large > 0)
    large_work = std::async(std::launch::async, [&] {
      Timings local;
      {
        TimedRange timer(local, "large");
        Cpu cpu;
        splat_on_cpu<M>(cpu, large.data(), large.size(), projector.width, projector.height,
                        large_image);
      }
      return local.median("large");
    });

  if (n_small > 0) {  // 8. Fragments, reduced by pixel
    auto timed = phase("small");
    Buffer<std::int32_t, Exec> pixels(exec, n_small, "pixel indices");
    Buffer<Rgb, Exec> fragments(exec, n_small, "fragments");
    parallel_for(exec, "small fragments", n_small,
                 SmallFragment<Profile<M>>{splats.data() + n_medium, projector.width, pixels.data(),
                                           fragments.data()});
    thrust::stable_sort_by_key(exec.policy(), pixels.begin(), pixels.end(), fragments.begin());
    Buffer<std::int32_t, Exec> unique_pixels(exec, n_small, "pixels");
    Buffer<Rgb, Exec> sums(exec, n_small, "pixel sums");
    const auto ends = thrust::reduce_by_key(exec.policy(), pixels.begin(), pixels.end(),
                                            fragments.begin(), unique_pixels.begin(), sums.begin(),
                                            thrust::equal_to<std::int32_t>(), AddRgb{});
    parallel_for(exec, "add fragments", std::size_t(ends.first - unique_pixels.begin()),
                 AddFragment{unique_pixels.data(), sums.data(), image});
  }
  if (n_medium > 0) {  // 9. Medium ones, one block per tile
    auto timed = phase("medium");
    medium_tiles<M>(exec, splats.data(), tile_ids.data(), tile_ends.data(), n_tiles, tiling, image);
  }
  if (large_work.valid()) timings.add("large", large_work.get());

  counts.large_on_cpu += n_large;
}

// Draws a layer piece by piece, so that the intermediate arrays of `most` particles at a time must
// fit.
template <Mode M, class Exec>
void paper_pieces(Exec& exec, const Layer& layer, std::uint64_t most,
                  const Projector<Real<M>>& projector, float* image, float* large_image,
                  Counts& counts, Timings& timings) {
  for (std::uint64_t first = 0; first < layer.columns.count; first += most)
    paper_chunk<M>(exec, slice(layer, first, std::min(most, layer.columns.count - first)),
                   projector, image, large_image, counts, timings);
}

}  // namespace haloscope::compute::splotch
