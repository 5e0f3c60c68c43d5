#include "render/scene/renderer_input.h"

#include "analysis/halos/mean_spacing.h"
#include "compute/splotch/ranging.h"
#include "core/check.h"
#include "core/error.h"
#include "core/srgb.h"
#include "io/loading/derived_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::render {

namespace {

using namespace compute::splotch;

// Splotch's r is the Gaussian's scale; its users set size_fac = 0.5 for Gadget's support radius.
constexpr float kClassicRadiusFactor = 0.5f;
// float32 holds the squared domain up to here; larger worlds lose the independence of units only.
constexpr double kLargestArea = 1e30;

// The mass that gives off as much light as all of a type does.
double mass_of_light(const ParticleSet& particles, const std::vector<TypeLook>& looks,
                     std::size_t k, compute::Ranks& ranks) {
  const auto mass = [&](std::size_t j) { return analysis::total_mass(particles.types[j], ranks); };
  if (!looks[k].light_of) return mass(k);
  double together = 0;
  for (std::size_t j = 0; j < looks.size(); ++j) {
    if (particles.types[j].type == *looks[k].light_of) return mass(j);
    if (looks[j].light_of == looks[k].light_of) together += mass(j);
  }
  return together;
}

Ranging choose_range(const TypeLook& look, const std::vector<const float*>& columns,
                     const compute::PartOfRows& rows, Mode mode) {
  if (look.range) {
    Ranging r;
    r.transform = look.transform;
    r.low = transformed(float((*look.range)[0]), look.transform);
    r.high = transformed(float((*look.range)[1]), look.transform);
    if (!std::isfinite(r.low) || !std::isfinite(r.high))
      throw Error(fmt::format("a logarithmic color cannot begin at {}", (*look.range)[0]),
                  "--range", "give positive limits, or use :lin or :asinh");
    return r;
  }
  if (mode == Mode::Classic)
    return data_range(columns.data(), int(columns.size()), rows, look.transform);
  // The components of a vector share one range.
  Ranging all = quantile_range(columns[0], rows, look.transform, 0.005, 0.995);
  for (const float* column : columns) {
    const Ranging one = quantile_range(column, rows, look.transform, 0.005, 0.995);
    all.low = std::min(all.low, one.low);
    all.high = std::max(all.high, one.high);
  }
  return all;
}

std::vector<std::array<float, 3>> light_palette(std::vector<std::array<float, 3>> palette) {
  for (auto& node : palette)
    for (auto& component : node) component = srgb_to_linear(component);
  return palette;
}

bool is_temperature(const std::string& field) {
  return field == "Temperature" || field == "Temperatures";
}

// Of a temperature: a tenth of the gas, by mass, is colder than its color tells. Cold gas of voids
// has most of the particles' range and little to show.
void raise_lower_limit(const ParticleColumns& columns, const compute::PartOfRows& rows,
                       const float* values, Ranging& color) {
  constexpr double kColder = 0.1;
  constexpr std::uint64_t kSample = 1u << 20;
  const std::uint64_t stride = std::max<std::uint64_t>(1, rows.total() / kSample) | 1;
  struct Heavy {
    float value, mass;
    bool operator<(const Heavy& other) const {
      return std::pair(value, mass) < std::pair(other.value, other.mass);
    }
  };
  auto sample = rows.every<Heavy>(stride, [&](std::size_t i, std::vector<Heavy>& out) {
    const float weight = columns.mass.empty() ? 1.f : columns.mass[i];
    if (std::isfinite(values[i]) && weight > 0) out.push_back({values[i], weight});
  });
  double mass = 0;
  for (const Heavy& one : sample) mass += double(one.mass);
  std::sort(sample.begin(), sample.end());
  double colder = 0;
  for (const auto& [value, weight] : sample) {
    if ((colder += double(weight)) < kColder * mass) continue;
    const float low = transformed(value, color.transform);
    if (low > color.low && low < color.high) color.low = low;
    return;
  }
}

// Fills in the color columns of one type.
void set_color(const ParticleColumns& columns, const compute::PartOfRows& rows,
               const TypeLook& look, Mode mode, TypeInput& input, Appearance& appearance) {
  if (look.color.empty()) return;
  const auto stored = columns.fields.find(look.color);
  if (stored == columns.fields.end()) {
    HALOSCOPE_CHECK(look.color, ==, std::string(kLocalDensity));
    // Lengths that are estimated are those of a sample, whose particles stand for several.
    input.density_color = columns.support_radius.empty() ? float(columns.weight) : 1;
    return;
  }
  std::vector<const float*> colors;
  for (const auto& component : stored->second) colors.push_back(component.data());
  for (std::size_t c = 0; c < colors.size(); ++c) input.color[c] = colors[c];
  if (mode == Mode::Map) return;
  appearance.color = choose_range(look, colors, rows, mode);
  if (mode != Mode::Default || look.range) return;
  // Light is as it is.
  if (look.color == io::kStarColor) appearance.color = {Transform::Linear, 0, 1};
  if (is_temperature(look.color))
    raise_lower_limit(columns, rows, colors.front(), appearance.color);
}

}  // namespace

std::vector<float> local_densities(const std::vector<float>& radii, double particles) {
  std::vector<float> density;
  density.reserve(radii.size());
  for (const double h : radii)
    density.push_back(float(particles * 3 / (4 * std::numbers::pi * h * h * h)));
  return density;
}

void set_density_range(Appearance& appearance, const TypeLook& look,
                       const std::vector<float>& radii, double particles, Mode mode) {
  if (mode == Mode::Map || radii.empty()) return;
  const std::vector<float> density = local_densities(radii, particles);
  appearance.color = choose_range(look, {density.data()},
                                  compute::PartOfRows(compute::alone(), density.size()), mode);
}

void choose_packing(const RenderRequest& request, RendererInput& made, std::uint64_t from) {
  const ComputeRequest& how = request.compute;
  const bool may = request.mode == Mode::Default && !request.map.shown && !how.exact &&
                   !how.deterministic && how.strategy == Strategy::Auto;
  for (TypeInput& input : made.inputs) {
    input.packed = may && input.count >= from;
    input.rows_aside = input.count >= kRowsAsideFrom;
  }
}

RendererInput make_renderer_input(const ParticleSet& particles, const std::vector<TypeLook>& looks,
                                  Mode mode, const std::vector<const float*>& radii,
                                  compute::Ranks& ranks) {
  HALOSCOPE_CHECK(particles.types.size(), ==, looks.size());
  RendererInput made;
  const double area = std::min(particles.domain.side * particles.domain.side, kLargestArea);
  for (std::size_t k = 0; k < looks.size(); ++k) {
    const ParticleColumns& columns = particles.types[k];
    const TypeLook& look = looks[k];
    const compute::PartOfRows rows(ranks, columns.count);
    TypeInput input;
    Appearance appearance;
    input.count = columns.count;
    for (std::size_t c = 0; c < 3; ++c) input.position[c] = columns.position[c].data();
    input.radius = columns.support_radius.empty() ? nullptr : columns.support_radius.data();
    if (k < radii.size() && radii[k]) input.radius = radii[k];
    set_color(columns, rows, look, mode, input, appearance);
    appearance.smooth_factor = float(look.smooth);
    if (mode == Mode::Classic) {
      appearance.palette = look.palette;
      appearance.brightness = float(look.brightness);
      appearance.radius_factor = kClassicRadiusFactor;
      const auto intensity = columns.fields.find(look.intensity);
      if (intensity != columns.fields.end()) {
        const float* column = intensity->second.front().data();
        input.weight = column;
        appearance.intensity = data_range(&column, 1, rows, Transform::Log);
      } else {
        appearance.intensity = {Transform::Linear, 1, 1};  // equal limits: all count as 1
      }
    } else {
      input.weight = columns.mass.empty() ? nullptr : columns.mass.data();
      input.uniform_weight = float(columns.uniform_mass);
      appearance.palette = light_palette(look.palette);
      const double total = mass_of_light(particles, looks, k, ranks);
      appearance.brightness = float(total > 0 ? look.brightness * area / total : 0);
    }
    made.inputs.push_back(input);
    made.appearances.push_back(std::move(appearance));
  }
  return made;
}

}  // namespace haloscope::render
