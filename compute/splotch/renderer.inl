#pragma once

#include "compute/exec/cpu.h"
#include "compute/exec/named_range.h"
#include "compute/splotch/gather.inl"
#include "compute/splotch/levels.inl"
#include "compute/splotch/light_frame.inl"
#include "compute/splotch/map_frame.inl"
#include "compute/splotch/over_ranks.inl"
#include "compute/splotch/paper.inl"
#include "compute/splotch/particle_store.inl"
#include "compute/splotch/renderer.h"
#include "compute/splotch/sample.h"
#include "compute/splotch/shading.inl"
#include "compute/splotch/work_timer.h"
#include "core/check.h"

#include <memory>
#include <optional>
#include <vector>

// The renderer's frame, once for both executors.
namespace haloscope::compute::splotch {

struct CopyRgb {
  const float* rgba;
  const float* more;  // RGBA that is added; null: nothing is
  float* rgb;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    for (std::size_t c = 0; c < 3; ++c)
      rgb[3 * i + c] = more ? rgba[4 * i + c] + more[4 * i + c] : rgba[4 * i + c];
  }
};

struct SpreadRgb {
  const float* rgb;
  float* rgba;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    for (std::size_t c = 0; c < 3; ++c) rgba[4 * i + c] = rgb[3 * i + c];
  }
};

// The picture of all ranks, on the first of them, and there on its device where the options say so.
// `image`: what this rank has drawn, RGBA; `host_image`: the CPU's share of it, which may be empty;
// `exact`: its sums in whole numbers, in place of both, or null.
template <class Exec, class Store>
void sum_over_ranks(Exec& exec, Store& store, const DrawingRanks& ranks, const View& view,
                    const Options& options, float* image, const std::vector<float>& host_image,
                    const ExactLight<Exec>* exact, Frame& frame) {
  const std::size_t pixels = std::size_t(view.width) * std::size_t(view.height);
  {
    const TimedRange timer(frame.timings, "wait");
    frame.counts = of_all_ranks(ranks.ranks(), frame.counts);
  }
  RowsOfRanks<Exec> rows(exec, ranks, view.width, view.height);
  Buffer<float, Exec> rgb(exec, 3 * pixels, "image");
  {
    const TimedRange timer(frame.timings, "composite");
    if (exact) {
      const LightTarget& light = exact->target();
      rows.template sum<AddNumbers>(light.rgb, 3);
      const std::size_t first = 3 * rows.first_pixel();
      parallel_for(exec, "light", 3 * rows.pixels(),
                   LightValues{light.rgb + first, light.unit.size, rgb.data() + first});
    } else {
      Buffer<float, Exec> share(exec, host_image.size(), "the CPU's share");
      if (!host_image.empty())
        exec.upload(share.data(), host_image.data(), host_image.size() * sizeof(float));
      parallel_for(exec, "copy image", pixels, CopyRgb{image, share.data(), rgb.data()});
      rows.template sum<AddNumbers>(rgb.data(), 3);
    }
    exec.synchronize();
  }
  const TimedRange timer(frame.timings, "gather");
  rows.gather(rgb.data());
  frame.sent_bytes = rows.sent_bytes();
  if (!ranks.ranks().first()) return;
  if (options.keep_on_device) {
    parallel_for(exec, "picture", pixels, SpreadRgb{rgb.data(), image});
    frame.on_device = store.keep_on_device(image, {}, view.width, view.height);
  }
  if (!frame.on_device) frame.image = rows.to_host(rgb.data());
}

// `store.for_each_chunk(n, f)` hands out the layers whose particles are on the executor, piece by
// piece, all or a sample of 1 in n, one of those that `store.usable_sample(n)` returns;
// `store.whole()` says whether all of them come in one piece; `store.keep_on_device()` makes a
// picture that stays there, where there is a GPU.
//
// Pictures: sums of light in float32, of wide splats on levels (levels.h), or in whole numbers
// (light_frame.inl). Maps are drawn by draw_map(). Of several ranks, each with its part of the
// particles and all on one kind of executor, the first gets the picture.
template <Mode M, class Exec, class Store>
Frame draw_frame(Exec& exec, Store& store, const View& view, const Domain& domain,
                 const std::vector<Appearance>& appearances, const Options& options,
                 Progress& progress, const DrawingRanks& ranks) {
  Frame frame;
  const Projector<Real<M>> projector = make_projector<Real<M>>(view, domain, options.mode);
  const std::size_t pixels = std::size_t(view.width) * std::size_t(view.height);
  Buffer<float, Exec> image(exec, 4 * pixels, "image");
  auto draw = std::make_unique<TimedRange>(frame.timings, "draw");
  exec.zero(image.data(), 4 * pixels * sizeof(float));
  const StoredPalettes<Exec> palettes(exec, appearances);
  const StoredTints<Exec> tints(exec, appearances);
  // Splats that the CPU draws beside a GPU; allocated by the first that needs it.
  std::vector<float> host_image;
  Levels<Exec> levels(exec, view.width, view.height);

  HALOSCOPE_CHECK(appearances.size(), ==, store.type_count());
  const bool ordered =
      options.absorption ||
      (options.deterministic && (Exec::is_cuda || options.strategy == Strategy::Paper));
  if (options.absorption && !store.whole())
    throw Error(
        "the absorbing model (a_eq_e=F) needs all particles on the GPU at once to sort them", "GPU",
        "raise --gpu-memory, choose fewer particle types, or use --device cpu");
  HALOSCOPE_CHECK(is_sample(options.sample), ==, true);
  frame.sample = options.absorption ? 1 : store.usable_sample(options.sample, frame.timings);
  frame.motion_samples = store.motion_samples();
  const auto for_each_chunk = [&](const auto& f) {
    store.for_each_chunk(frame.sample, [&](std::vector<Layer> layers,
                                           const std::vector<std::size_t>& types, double done) {
      progress.report("render", done);
      for (std::size_t k = 0; k < layers.size(); ++k)
        layers[k].shading = make_shading(appearances[types[k]], options, frame.sample,
                                         layers[k].columns, palettes[types[k]], tints[types[k]]);
      f(layers, types);
    });
  };
  std::optional<ExactLight<Exec>> exact;
  if constexpr (M == Mode::Default)
    if (sums_exactly(options)) {
      const TimedRange timer(frame.timings, "bound");
      AllLightPeaks peaks;
      for_each_chunk([&](const std::vector<Layer>& layers, const std::vector<std::size_t>&) {
        for (const Layer& layer : layers) add_light_peaks(exec, store, layer, projector, peaks);
      });
      exact.emplace(exec, view.width, view.height, of_all_ranks(ranks, peaks));
    }
  LaterTimes later;
  for_each_chunk([&](const std::vector<Layer>& layers, const std::vector<std::size_t>& types) {
    for (const Layer& layer : layers) frame.counts.particles += layer.columns.count;
    if (exact) {
      if constexpr (M == Mode::Default)
        exact->draw(exec, store, layers, projector, options, frame.counts, frame.timings);
    } else if (ordered) {
      render_gather<M>(exec, layers, projector, options, image.data(), frame.counts, frame.timings);
    } else if (options.strategy == Strategy::Paper) {
      if (host_image.empty()) host_image.assign(4 * pixels, 0.f);
      for (const auto& layer : layers)
        paper_pieces<M>(exec, layer, store.paper_chunk(), projector, image.data(),
                        host_image.data(), frame.counts, frame.timings);
    } else {
      store.template draw_auto<M>(exec, layers, types, projector, options, image.data(), host_image,
                                  uses_levels(options) ? &levels : nullptr, frame.counts,
                                  frame.timings, later);
    }
  });
  std::optional<WorkTimer<Exec>> levels_timer;
  if (levels.any()) {
    const NamedRange range("levels");
    levels_timer.emplace(exec);
    levels.add_to(image.data());
    levels_timer->stop();
  }
  // Of several ranks it must be told which one others wait for. Alone, what is still to be done
  // while the host goes on are the levels at most, where nothing else has to wait for them.
  const bool waits = !levels_timer || ranks.several();
  if (waits) exec.synchronize();
  for (const auto& tell : later) tell();
  draw.reset();
  // Once the picture is there. What the host waited for in another phase is the drawing's.
  const auto tell_levels = [&] {
    if (!levels_timer) return;
    const double ms = levels_timer->milliseconds();
    frame.timings.add("levels", ms);
    if (!Exec::is_cuda || waits) return;
    frame.timings.add("draw", ms);
    frame.timings.add("composite", -ms);
  };
  if (ranks.several()) {
    sum_over_ranks(exec, store, ranks, view, options, image.data(), host_image,
                   exact ? &*exact : nullptr, frame);
    tell_levels();
    return frame;
  }
  auto composite = std::make_unique<TimedRange>(frame.timings, "composite");
  if (exact) exact->to_image(exec, image.data());
  if (options.keep_on_device) {
    frame.on_device = store.keep_on_device(image.data(), host_image, view.width, view.height);
    if (frame.on_device) {
      composite.reset();
      tell_levels();
      return frame;
    }
  }
  frame.image = ImageF(view.width, view.height, 3);
  Buffer<float, Exec> rgb(exec, 3 * pixels, "image");
  parallel_for(exec, "copy image", pixels, CopyRgb{image.data(), nullptr, rgb.data()});
  exec.download(frame.image.pixels.data(), rgb.data(), 3 * pixels * sizeof(float));
  if (!host_image.empty()) {
    Cpu cpu;
    parallel_for(cpu, "add the CPU's share", pixels, [&](std::size_t i) {
      for (std::size_t c = 0; c < 3; ++c) frame.image.pixels[3 * i + c] += host_image[4 * i + c];
    });
  }
  composite.reset();
  tell_levels();
  return frame;
}

template <Mode M, class Exec, class Store>
Frame render_frame(Exec& exec, Store& store, const View& view, const Domain& domain,
                   const std::vector<Appearance>& appearances, const Options& options,
                   Progress& progress, const DrawingRanks& ranks) {
  Timings total;
  Frame frame;
  {
    TimedRange timer(total, "total");
    if constexpr (M == Mode::Map)
      frame = draw_map(exec, store, view, domain, appearances, options, progress, ranks);
    else
      frame = draw_frame<M>(exec, store, view, domain, appearances, options, progress, ranks);
  }
  frame.timings.add("total", total.median("total"));
  frame.timings = frame.timings.summed();
  return frame;
}

}  // namespace haloscope::compute::splotch
