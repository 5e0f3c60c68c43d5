#pragma once

#include "compute/exec/buffer.h"
#include "compute/splotch/gather.inl"
#include "compute/splotch/layer.h"
#include "compute/splotch/light_sum.h"
#include "compute/splotch/settings.h"

#include <thrust/iterator/counting_iterator.h>
#include <thrust/transform_reduce.h>

#include <vector>

// Pictures in whole numbers (light_sum.h). The store is read twice: for the unit, and to draw. The
// GPU gathers by pixel; the CPU draws tiles (light_tiles_cpu.h), to the same bit.
namespace haloscope::compute::splotch {

// Deterministic pictures of light in default mode. Classic ones are compared with Splotch's, and
// those of the paper's scheme are its own: they keep their sums in floats, in a fixed order.
inline bool sums_exactly(const Options& options) {
  return options.mode == Mode::Default && options.deterministic &&
         options.strategy == Strategy::Auto && !options.absorption;
}

struct PeakOfParticle {
  Projector<float> projector;
  Columns columns;
  Shading shading;
  HALOSCOPE_HD LightPeaks operator()(std::uint64_t i) const {
    LightPeaks peaks;
    Splat s{};
    if (make_splat_of<Mode::Default>(projector, columns, i, shading, kLargeRadius, s) !=
        Class::Inactive)
      peaks.add(light_peak(s));
    return peaks;
  }
};

template <class Exec, class Store>
void add_light_peaks(Exec& exec, const Store& store, const Layer& layer,
                     const Projector<float>& projector, AllLightPeaks& peaks) {
  if constexpr (Exec::is_cuda) {
    const thrust::counting_iterator<std::uint64_t> first(0);
    peaks.add(thrust::transform_reduce(
        exec.policy(), first, first + std::ptrdiff_t(layer.columns.count),
        PeakOfParticle{projector, layer.columns, layer.shading}, LightPeaks{}, AddPeaks{}));
  } else {
    store.add_light_peaks(layer, projector, peaks);
  }
}

struct LightPixels {
  const std::int64_t* rgb;
  double unit;
  float* rgba;
  HALOSCOPE_HD void operator()(std::size_t i) const {
    for (std::size_t c = 0; c < 3; ++c) rgba[4 * i + c] = float(double(rgb[3 * i + c]) * unit);
  }
};

// The same of numbers that stand side by side.
struct LightValues {
  const std::int64_t* light;
  double unit;
  float* values;
  HALOSCOPE_HD void operator()(std::size_t i) const { values[i] = float(double(light[i]) * unit); }
};

// The sums of one picture.
template <class Exec>
class ExactLight {
 public:
  // `peaks`: of all particles that will be drawn.
  ExactLight(Exec& exec, int width, int height, const AllLightPeaks& peaks)
      : sums_(exec, 3 * std::size_t(width) * std::size_t(height), "image") {
    exec.zero(sums_.data(), sums_.size() * sizeof(std::int64_t));
    target_ = {width, height, sums_.data(), LightUnit(peaks)};
  }

  template <class Store>
  void draw(Exec& exec, const Store& store, const std::vector<Layer>& layers,
            const Projector<float>& projector, const Options& options, Counts& counts,
            Timings& timings) const {
    if constexpr (Exec::is_cuda)
      gather_light(exec, layers, projector, options, target_, counts, timings);
    else
      store.draw_light(layers, projector, target_, counts, timings);
  }

  void to_image(Exec& exec, float* rgba) const {
    parallel_for(exec, "light", sums_.size() / 3,
                 LightPixels{target_.rgb, target_.unit.size, rgba});
  }

  const LightTarget& target() const { return target_; }

 private:
  Buffer<std::int64_t, Exec> sums_;
  LightTarget target_;
};

}  // namespace haloscope::compute::splotch
