#include "render/scene/first_bounds.h"

#include "compute/exec/part_of_rows.h"
#include "render/scene/choose_looks.h"
#include "render/scene/shrinking_sphere.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace haloscope::render {

namespace {

using compute::splotch::Mode;

// Of a set without a box, this part of the particles on each side of each axis may lie outside the
// first picture.
constexpr double kOutside = 0.002;
// Particles that extend over less of a periodic box are shown by themselves.
constexpr double kPartOfBox = 0.6;
// Stars that fill a smaller part of an isolated set are a galaxy in its halo.
constexpr double kGalaxyPart = 1. / 3;
// A single point is shown in a cube of this many of its smoothing lengths.
constexpr double kPointSize = 20;

Bounds box_of(const SnapshotInfo& info) {
  Bounds all{info.box_origin, info.box_origin};
  for (double& high : all.high) high += info.box_size;
  return all;
}

// The region that was selected of a periodic box. It may reach over the upper edge: the renderer
// draws each particle where it is nearest to the camera's target, the region's middle.
std::optional<Bounds> selected_region(const SnapshotInfo& info, const io::Selection& selection) {
  const auto& region = selection.region;
  if (!region || !has_box(info)) return {};
  Bounds bounds = box_of(info);
  for (std::size_t c = 0; c < 3; ++c) {
    double side = region->high[c] - region->low[c];
    if (side < 0) side += info.box_size * std::ceil(-side / info.box_size);
    if (side >= info.box_size) continue;
    const double boxes = std::floor((region->low[c] - info.box_origin[c]) / info.box_size);
    bounds.low[c] = region->low[c] - boxes * info.box_size;
    bounds.high[c] = bounds.low[c] + side;
  }
  return bounds;
}

// Of a zoom simulation, whatever part of it is drawn.
std::optional<Bounds> high_resolution_region(const SnapshotInfo& info, const ParticleSet& particles,
                                             compute::Ranks& ranks) {
  const auto coarse = [](const auto& type) { return type.second.low_resolution; };
  if (std::none_of(info.types.begin(), info.types.end(), coarse)) return {};
  std::vector<const ParticleColumns*> fine;
  for (const auto& columns : particles.types)
    if (!info.types.at(columns.type).low_resolution) fine.push_back(&columns);
  return shrinking_sphere(particles.domain, fine, ranks);
}

// Of an isolated galaxy: its stars, where the dark matter around them reaches much farther.
std::optional<Bounds> galaxy(const SnapshotInfo& info, const ParticleSet& particles,
                             const Bounds& all, compute::Ranks& ranks) {
  std::vector<const ParticleColumns*> stars;
  bool has_dark_matter = false;
  for (const auto& columns : particles.types) {
    const int look = look_of(info, columns.type);
    has_dark_matter = has_dark_matter || look == 1;
    if (look >= 2 && look <= 4) stars.push_back(&columns);
  }
  if (!has_dark_matter || stars.empty()) return {};
  auto bounds = shrinking_sphere(particles.domain, stars, ranks);
  if (!bounds || !(longest_side(*bounds) < kGalaxyPart * longest_side(all))) return {};
  return bounds;
}

}  // namespace

bool has_box(const SnapshotInfo& info) {
  return info.periodic && info.box_size > 0;
}

double longest_side(const Bounds& bounds) {
  double side = 0;
  for (std::size_t c = 0; c < 3; ++c) side = std::max(side, bounds.high[c] - bounds.low[c]);
  return side;
}

Bounds particle_bounds(const ParticleSet& particles, double outside, compute::Ranks& ranks) {
  constexpr std::uint64_t kSample = 1u << 20;
  std::vector<compute::PartOfRows> rows;
  std::uint64_t count = 0;
  for (const auto& columns : particles.types)
    count += rows.emplace_back(ranks, columns.count).total();
  const std::uint64_t stride = outside > 0 ? std::max<std::uint64_t>(1, count / kSample) : 1;
  Bounds bounds;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::uint32_t low = std::numeric_limits<std::uint32_t>::max(), high = 0;
    std::vector<std::uint32_t> sample;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto& position = particles.types[k].position[axis];
      if (!(outside > 0)) {
        for (const std::uint32_t x : position) {
          low = std::min(low, x);
          high = std::max(high, x);
        }
        continue;
      }
      const auto some = rows[k].every<std::uint32_t>(
          stride,
          [&](std::size_t i, std::vector<std::uint32_t>& out) { out.push_back(position[i]); });
      sample.insert(sample.end(), some.begin(), some.end());
    }
    const auto smaller = [](std::uint32_t a, std::uint32_t b) { return std::min(a, b); };
    const auto larger = [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); };
    ranks.all_reduce(std::span(&low, 1), smaller);
    ranks.all_reduce(std::span(&high, 1), larger);
    if (!sample.empty()) {
      const auto at = [&](double q) {
        const auto k = std::ptrdiff_t(std::lround(q * double(sample.size() - 1)));
        std::nth_element(sample.begin(), sample.begin() + k, sample.end());
        return sample[std::size_t(k)];
      };
      low = at(outside);
      high = at(1 - outside);
    }
    bounds.low[axis] = particles.domain.to_world(low, int(axis));
    bounds.high[axis] = particles.domain.to_world(high, int(axis));
  }
  return bounds;
}

FirstBounds first_bounds(const SnapshotInfo& info, const RenderRequest& request,
                         const ParticleSet& particles, compute::Ranks& ranks) {
  const bool chosen = !request.camera.any();
  if (const auto region = selected_region(info, request.selection)) return {*region, {}};
  if (request.mode == Mode::Map)
    return {has_box(info) ? box_of(info) : particle_bounds(particles, 0, ranks), {}};
  if (const auto region = high_resolution_region(info, particles, ranks))
    return {*region, chosen ? "The picture shows the region of high resolution." : ""};
  const Bounds filled = particle_bounds(particles, kOutside, ranks);
  if (!has_box(info)) {
    if (const auto stars = galaxy(info, particles, filled, ranks))
      return {*stars,
              chosen ? "The picture shows the galaxy: its dark matter reaches farther." : ""};
    return {filled, {}};
  }
  // Cut-outs and zoom simulations lie somewhere in a large box.
  if (longest_side(filled) > kPartOfBox * info.box_size) return {box_of(info), {}};
  return {filled,
          chosen ? "The particles fill a part of the box: the picture shows that part." : ""};
}

Bounds with_kernels(const SnapshotInfo& info, bool map, const Bounds& bounds,
                    const std::function<double()>& largest_radius) {
  double margin = 0;
  if (map && !has_box(info)) {
    margin = largest_radius();
  } else if (!map && !(longest_side(bounds) > 0)) {
    margin = 0.5 * kPointSize * largest_radius();
    if (has_box(info)) margin = std::min(margin, 0.5 * info.box_size);
  }
  Bounds wide = bounds;
  if (!(margin > 0)) return wide;
  for (double& low : wide.low) low -= margin;
  for (double& high : wide.high) high += margin;
  return wide;
}

}  // namespace haloscope::render
