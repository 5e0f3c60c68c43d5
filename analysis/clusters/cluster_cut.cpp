#include "analysis/clusters/cluster_cut.h"

#include "analysis/option_parsing/option_error.h"
#include "compute/clusters/cut_limit.h"
#include "core/error.h"
#include "core/text_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

constexpr const char* kKinds = "write distance:LENGTH, count:N or spacings:B";

double number_of(const std::string& text) {
  try {
    return parse_number(marked("cut"), text);
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
}

std::uint64_t count_of(const std::string& text) {
  std::uint64_t count = 0;
  if (!is_count(text, count) || count == 0)
    throw OptionError(fmt::format("'{}' is no number of clusters", text), marked("cut"),
                      "give a whole number of 1 or more");
  return count;
}

void require_below_last(double length, double last) {
  if (length > last)
    throw OptionError(fmt::format("a height of {:.6g} is above the last merge, {:.6g}, from which "
                                  "on all points are one cluster",
                                  length, last),
                      marked("cut"), "give a smaller one");
}

CutEdges edges_up_to(double length, const ClusterHierarchy& hierarchy) {
  const auto& weights = hierarchy.tree.squared_weight;
  const auto& heights = hierarchy.height;
  if (!heights.empty() && weights.empty()) {
    require_below_last(length, heights.back());
    const auto end = std::upper_bound(heights.begin(), heights.end(), length);
    return {std::uint32_t(end - heights.begin()), length};
  }
  const std::uint64_t limit = compute::clusters::squared_cut_limit(length, hierarchy.step);
  if (!weights.empty() && limit > weights.back()) require_below_last(length, heights.back());
  const auto end = std::upper_bound(weights.begin(), weights.end(), limit);
  return {std::uint32_t(end - weights.begin()), length};
}

CutEdges edges_of_count(std::uint64_t clusters, const ClusterHierarchy& hierarchy) {
  const auto edges = std::uint32_t(hierarchy.tree.points - clusters);
  return {edges, edges == 0 ? 0 : hierarchy.height[edges - 1]};
}

}  // namespace

ClusterCut parse_cut(const std::string& text) {
  const auto colon = text.find(':');
  const std::string kind = text.substr(0, colon);
  const std::string value = colon == std::string::npos ? std::string() : text.substr(colon + 1);
  if (value.empty() || (kind != "distance" && kind != "count" && kind != "spacings"))
    throw OptionError(fmt::format("'{}' is no cut", text), marked("cut"), kKinds);
  if (kind == "count") return {ClusterCut::Kind::Count, double(count_of(value))};
  ClusterCut cut{kind == "distance" ? ClusterCut::Kind::Distance : ClusterCut::Kind::Spacings,
                 number_of(value)};
  if (!(cut.value > 0))
    throw OptionError(fmt::format("a height of {} is not above 0", value), marked("cut"),
                      "give a positive one");
  return cut;
}

bool is_in_spacings(const std::string& cut) {
  return !cut.empty() && parse_cut(cut).kind == ClusterCut::Kind::Spacings;
}

void check_cut(const ClusterCut& cut, std::uint64_t points) {
  if (cut.kind == ClusterCut::Kind::Count && cut.value > double(points))
    throw OptionError(
        fmt::format("{} points are fewer than the {:.0f} clusters asked for", points, cut.value),
        marked("cut"), "ask for fewer");
}

CutEdges edges_of_cut(const ClusterCut& cut, const ClusterHierarchy& hierarchy,
                      const std::function<double()>& mean_spacing) {
  switch (cut.kind) {
    case ClusterCut::Kind::Count:
      return edges_of_count(std::uint64_t(cut.value), hierarchy);
    case ClusterCut::Kind::Spacings:
      return edges_up_to(cut.value * mean_spacing(), hierarchy);
    default:
      return edges_up_to(cut.value, hierarchy);
  }
}

}  // namespace haloscope::analysis
