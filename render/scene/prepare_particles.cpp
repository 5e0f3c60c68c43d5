#include "render/scene/prepare_particles.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

namespace haloscope::render {

void clean_columns(ParticleSet& particles) {
  for (auto& columns : particles.types) {
    for (float& m : columns.mass)
      if (!(m >= 0) || !std::isfinite(m)) m = 0;
    for (float& h : columns.support_radius)
      if (!std::isfinite(h)) h = 0;
  }
}

void leave_out_undefined(ParticleSet& particles, const std::string& name) {
  for (auto& columns : particles.types) {
    const auto& field = columns.fields.at(name).front();
    for (std::uint64_t i = 0; i < columns.count; ++i) {
      if (std::isfinite(field[i])) continue;
      if (columns.mass.empty()) {
        columns.mass = Array<float>(columns.count);
        std::fill(columns.mass.begin(), columns.mass.end(), float(columns.uniform_mass));
      }
      columns.mass[i] = 0;
      columns.fields.at(name).front()[i] = 0;
    }
  }
}

double total_mass(const ParticleColumns& columns) {
  if (columns.mass.empty()) return columns.uniform_mass * double(columns.count);
  double sum = 0;
  for (float m : columns.mass) sum += m;
  return sum;
}

double total_mass(const ParticleSet& particles) {
  double sum = 0;
  for (const auto& columns : particles.types) sum += total_mass(columns);
  return sum;
}

bool is_compact(int look) {
  return look >= 2 && look <= 5;
}

void cap_compact(std::span<float> radii, double longest) {
  std::vector<float> sorted;
  std::copy_if(radii.begin(), radii.end(), std::back_inserter(sorted),
               [](float h) { return h > 0; });
  if (sorted.empty()) return;
  const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  const float cap = longest > 0 ? std::min(*middle, float(longest)) : *middle;
  for (float& h : radii) h = std::min(h, cap);
}

}  // namespace haloscope::render
