#include "render/scene/prepare_particles.h"

#include "analysis/halos/mean_spacing.h"

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

void leave_out_undefined(ParticleSet& particles, const std::string& name, compute::Ranks& ranks) {
  for (auto& columns : particles.types) {
    const auto& field = columns.fields.at(name).front();
    const bool own =
        !std::all_of(field.begin(), field.end(), [](float v) { return std::isfinite(v); });
    if (ranks.sum(int(own)) == 0) continue;
    if (columns.mass.empty() && columns.count > 0) {
      columns.mass = Array<float>(columns.count);
      std::fill(columns.mass.begin(), columns.mass.end(), float(columns.uniform_mass));
    }
    for (std::uint64_t i = 0; i < columns.count; ++i) {
      if (std::isfinite(field[i])) continue;
      columns.mass[i] = 0;
      columns.fields.at(name).front()[i] = 0;
    }
  }
}

double total_mass(const ParticleSet& particles, compute::Ranks& ranks) {
  double sum = 0;
  for (const auto& columns : particles.types) sum += analysis::total_mass(columns, ranks);
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
