#include "analysis/finding.h"

#include "analysis/clusters/cluster_hierarchy.h"
#include "analysis/clusters/size_choice.h"
#include "analysis/topology/found_peaks.h"
#include "compute/clusters/condensed_tree.h"
#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

std::uint64_t Finding::bytes() const {
  std::uint64_t sum = places.size() * sizeof(PiecePlace);
  for (const PieceColumn& column : columns) sum += column.values.size() * sizeof(double);
  if (hierarchy) sum += hierarchy->bytes();
  if (condensed)
    sum += condensed->point_cluster.size() * (sizeof(std::uint32_t) + sizeof(double)) +
           condensed->point_weight.size() * sizeof(double);
  if (sizes) sum += sizes->bytes();
  if (peaks) sum += peaks->bytes();
  if (branches) sum += branches->innermost.bytes() + branches->count() * sizeof(PiecePlace);
  if (labels) sum += labels->bytes();
  for (const Labels& one : resolutions) sum += one.bytes();
  for (const auto& [name, field] : fields)
    for (const auto& [type, values] : field.values) sum += values.size() * sizeof(float);
  for (const auto& [type, ids] : members.ids) sum += ids.size() * sizeof(std::uint64_t);
  for (const HaloTable& table : catalog.tables)
    for (const CatalogColumn& column : table.columns)
      sum += table.count * std::uint64_t(column.components) * sizeof(double);
  return sum;
}

std::vector<bool> FoundBranches::within(std::uint64_t branch) const {
  std::vector<bool> within(parent.size());
  // Parents stand before their children.
  for (std::size_t b = std::size_t(branch); b < parent.size(); ++b)
    within[b] = b == branch || (parent[b] != Labels::kNone && within[parent[b]]);
  return within;
}

std::array<double, 2> limits_of(const ParticleField& field) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const auto& [type, values] : field.values)
    for (const float value : values) {
      if (!std::isfinite(value) || (field.logarithmic && !(value > 0))) continue;
      low = std::min(low, double(value));
      high = std::max(high, double(value));
    }
  return low <= high ? std::array{low, high} : std::array{0., 0.};
}

std::array<double, 2> usual_limits(const ParticleField& field) {
  constexpr std::size_t kSample = std::size_t(1) << 21;
  constexpr double kPart = 0.005;
  std::size_t all = 0;
  for (const auto& [type, values] : field.values) all += values.size();
  const std::size_t every = all / kSample + 1;
  std::vector<float> sample;
  for (const auto& [type, values] : field.values)
    for (std::size_t row = 0; row < values.size(); row += every)
      if (std::isfinite(values[row]) && (!field.logarithmic || values[row] > 0))
        sample.push_back(values[row]);
  if (sample.empty()) return {0, 0};
  const auto at = [&](double part) {
    const auto place = sample.begin() + std::ptrdiff_t(part * double(sample.size() - 1) + 0.5);
    std::nth_element(sample.begin(), place, sample.end());
    return double(*place);
  };
  const double low = at(kPart), high = at(1 - kPart);
  return low < high ? std::array{low, high} : limits_of(field);
}

const Plot* find_plot(const Finding& finding, const std::string& name) {
  for (const Plot& plot : finding.plots)
    if (plot.name == name) return &plot;
  return nullptr;
}

const Plot& require_plot(const Finding& finding, const std::string& name, const std::string& who) {
  if (const Plot* plot = find_plot(finding, name)) {
    if (plot->layers.empty()) throw Error(plot->why_empty, who);
    return *plot;
  }
  std::string names;
  for (const Plot& plot : finding.plots) names += (names.empty() ? "use " : ", ") + plot.name;
  throw Error(fmt::format("there is no plot '{}'", name), who, names);
}

}  // namespace haloscope::analysis
