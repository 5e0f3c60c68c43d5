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

bool share_tree(const Finding& one, const Finding& other) {
  if (one.hierarchy) return one.hierarchy == other.hierarchy;
  return one.peaks && other.peaks && one.peaks->tree == other.peaks->tree;
}

bool have_same_labels(const Finding& one, const Finding& other) {
  return &one == &other || (one.finder == other.finder && one.pieces == other.pieces &&
                            one.options == other.options && share_tree(one, other));
}

std::array<double, 2> limits_of(const ParticleField& field) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const auto& [type, values] : field.values)
    for (const float value : values) {
      if (!field.can_show(value)) continue;
      low = std::min(low, double(value));
      high = std::max(high, double(value));
    }
  return low <= high ? std::array{low, high} : kNoLimits;
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
      if (field.can_show(values[row])) sample.push_back(values[row]);
  // What one row of many shows is not all.
  if (sample.empty()) return limits_of(field);
  const auto at = [&](double part) {
    const auto place = sample.begin() + std::ptrdiff_t(part * double(sample.size() - 1) + 0.5);
    std::nth_element(sample.begin(), place, sample.end());
    return double(*place);
  };
  const double low = at(kPart), high = at(1 - kPart);
  return low < high ? std::array{low, high} : limits_of(field);
}

bool has_values(const ParticleField& field) {
  const auto [low, high] = field.limits;
  return low <= high && (!field.logarithmic || low > 0);
}

bool found_nothing(const Finding& finding) {
  return finding.pieces == 0 &&
         std::none_of(finding.fields.begin(), finding.fields.end(),
                      [](const auto& field) { return has_values(field.second); });
}

const Plot* find_plot(const Finding& finding, const std::string& name) {
  for (const Plot& plot : finding.plots)
    if (plot.name == name) return &plot;
  return nullptr;
}

const Plot& require_plot(const Finding& finding, const std::string& name, const std::string& who) {
  if (const Plot* plot = find_plot(finding, name)) {
    if (plot->is_empty()) throw Error(plot->why_empty, who);
    return *plot;
  }
  std::string names;
  for (const Plot& plot : finding.plots) names += (names.empty() ? "use " : ", ") + plot.name;
  throw Error(fmt::format("there is no plot '{}'", name), who, names);
}

}  // namespace haloscope::analysis
