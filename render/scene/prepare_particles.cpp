#include "render/scene/prepare_particles.h"

#include "analysis/halos/mean_spacing.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

namespace haloscope::render {

namespace {

// Of values above 0, which as bits have the order of numbers, the one with half of them before it:
// its upper 16 bits are found first, then the lower ones. Nothing where there is no such value.
std::optional<float> median_above_zero(std::span<const float> values, compute::Ranks& ranks) {
  constexpr std::uint32_t kBins = 1u << 16;
  std::uint32_t bits = 0;
  std::uint64_t before = 0;
  for (const int shift : {16, 0}) {
    std::vector<std::uint64_t> counts(kBins, 0);
    for (const float value : values) {
      if (!(value > 0)) continue;
      const auto own = std::bit_cast<std::uint32_t>(value);
      if (shift == 16 || own >> 16 == bits >> 16) ++counts[own >> shift & (kBins - 1)];
    }
    ranks.all_reduce(std::span(counts), [](std::uint64_t a, std::uint64_t b) { return a + b; });
    if (shift == 16) {
      const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
      if (all == 0) return {};
      before = all / 2;
    }
    std::uint32_t bin = 0;
    while (before >= counts[bin]) before -= counts[bin++];
    bits |= bin << shift;
  }
  return std::bit_cast<float>(bits);
}

}  // namespace

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

void cap_compact(std::span<float> radii, double longest, compute::Ranks& ranks) {
  const std::optional<float> middle = median_above_zero(radii, ranks);
  if (!middle) return;
  const float cap = longest > 0 ? std::min(*middle, float(longest)) : *middle;
  for (float& h : radii) h = std::min(h, cap);
}

}  // namespace haloscope::render
