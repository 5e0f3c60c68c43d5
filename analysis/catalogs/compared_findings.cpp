#include "analysis/catalogs/compared_findings.h"

#include "analysis/catalogs/catalog_report.h"
#include "analysis/finder.h"
#include "core/error.h"
#include "core/version.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace haloscope::analysis {

namespace {

constexpr const char* kNameOfFirst = "A";
constexpr const char* kNameOfSecond = "B";
constexpr const char* kMassFunction = "mass_function";

const HaloTable& compared_table(const Finding& finding) {
  if (finding.catalog.tables.empty())
    throw Error(fmt::format("{} are in no catalog, and cannot be compared",
                            require_finder(finding.finder).words().pieces),
                "compare", "compare what has masses, such as halos or peaks");
  return finding.catalog.tables.front();
}

std::string compared_title(const std::string& words, const std::string& unit) {
  return unit.empty() ? words : fmt::format("{} [{}]", words, unit);
}

std::string compared_line(const char* name, const Finding& finding) {
  return fmt::format("{}: {}", name, finding.summary);
}

// N(≥ M) of masses that ascend: a step at each of them. Steps that no eye tells apart are one.
std::vector<PlotPoint> steps_of(const std::vector<double>& masses) {
  constexpr double kFinest = 1e-3;  // of a decade
  std::vector<PlotPoint> steps;
  double low = masses.empty() ? 0 : masses.front();
  for (std::size_t k = 0, next = 0; k < masses.size(); k = next) {
    const double high = masses[k];
    while (next < masses.size() && masses[next] == high) ++next;
    const double at_least = double(masses.size() - k);
    const bool is_end = k == 0 || next == masses.size();
    if (!is_end && std::log10(high / low) < kFinest &&
        std::log10(steps.back().y / at_least) < kFinest)
      continue;
    PlotPoint step;
    step.x = step.x_high = high;
    step.x_low = low;
    step.y = at_least;
    steps.push_back(step);
    low = high;
  }
  return steps;
}

// Whether the rows of A's catalog are its pieces.
bool are_rows(const ComparedFindings& both) {
  return both.first->places.size() == both.first_alone.size();
}

PlotParticles of_pieces(PlotPieces pieces) {
  PlotParticles particles;
  particles.pieces = std::make_shared<const PlotPieces>(std::move(pieces));
  return particles;
}

// A's pieces at their masses: a count has no height of one of them.
PlotParticles of_first_masses(const Finding& first) {
  PlotPieces pieces;
  pieces.has_height = false;
  const HaloTable& table = compared_table(first);
  const CatalogColumn* const mass = table.find(HaloRole::Mass);
  for (std::uint64_t row = 0; mass && row < table.count; ++row)
    pieces.places.push_back({mass->value(row), 0, row});
  return of_pieces(std::move(pieces));
}

// N(≥ M) of both.
Plot counts_plot(const ComparedFindings& both) {
  const CatalogComparison& comparison = both.comparison;
  Plot plot;
  plot.name = "compared_counts";
  plot.x = {compared_title("M", comparison.mass_unit), AxisScale::Log};
  plot.y = {"N(>= M)", AxisScale::Log};
  plot.why_empty = "there are no masses";
  plot.caption = compared_line(kNameOfFirst, *both.first) + ". " +
                 compared_line(kNameOfSecond, *both.second) + ".";
  if (comparison.mass_function.empty()) return plot;
  // B first: A lies over it.
  for (const bool is_first : {false, true}) {
    PlotLayer layer;
    layer.kind = LayerKind::Steps;
    layer.name = is_first ? kNameOfFirst : kNameOfSecond;
    layer.side = is_first ? ComparedSide::First : ComparedSide::Second;
    layer.points = steps_of(is_first ? comparison.first_masses : comparison.second_masses);
    plot.layers.push_back(std::move(layer));
  }
  if (are_rows(both)) plot.particles = of_first_masses(*both.first);
  return plot;
}

// A click on a point selects the piece of A.
Plot ratios_plot(const ComparedFindings& both) {
  const CatalogComparison& comparison = both.comparison;
  Plot plot;
  plot.name = "mass_ratios";
  plot.x = {compared_title("M_{A}", comparison.mass_unit), AxisScale::Log};
  plot.y = {"M_{B} / M_{A}", AxisScale::Log};
  plot.why_empty = "nothing of A has a partner in B";
  if (comparison.pairs.empty()) return plot;
  PlotLayer layer;
  layer.name = fmt::format("{} pairs", comparison.pairs.size());
  const bool of_rows = are_rows(both);
  PlotPieces pieces;
  for (const HaloPair& pair : comparison.pairs) {
    PlotPoint point;
    point.x = pair.first_mass;
    point.y = pair.second_mass / pair.first_mass;
    if (of_rows) {
      point.piece = pair.first;
      pieces.places.push_back({point.x, point.y, pair.first});
    }
    layer.points.push_back(point);
  }
  if (of_rows) plot.particles = of_pieces(std::move(pieces));
  plot.layers.push_back(std::move(layer));
  plot.marks.push_back({"equal masses", 1, false});
  plot.caption = fmt::format("Median {:.4f}, scatter {:.4f} dex.", comparison.mass_ratio,
                             comparison.mass_scatter_dex);
  return plot;
}

double percent(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : 100 * double(part) / double(whole);
}

// Those of both in one plot; nothing where one has none, or they are in other units.
std::optional<Plot> functions_plot(const ComparedFindings& both) {
  const Plot* const first = find_plot(*both.first, kMassFunction);
  const Plot* const second = find_plot(*both.second, kMassFunction);
  if (!first || !second || first->is_empty() || second->is_empty()) return {};
  if (first->x.title != second->x.title || first->y.title != second->y.title) return {};
  Plot plot = *first;
  plot.name = "both_mass_functions";
  plot.layers.clear();
  plot.marks.clear();
  plot.notes.clear();
  plot.caption = "Bars: Poisson, 1 sigma (Gehrels 1986). " +
                 compared_line(kNameOfFirst, *both.first) + ". " +
                 compared_line(kNameOfSecond, *both.second) + ".";
  // B first: A lies over it.
  for (const bool is_first : {false, true}) {
    const char* const name = is_first ? kNameOfFirst : kNameOfSecond;
    const Plot& own = is_first ? *first : *second;
    for (PlotLayer layer : own.layers) {
      layer.name = name;
      layer.side = is_first ? ComparedSide::First : ComparedSide::Second;
      plot.layers.push_back(std::move(layer));
    }
    for (PlotMark mark : own.marks) {
      mark.name = fmt::format("{}: {}", name, mark.name);
      plot.marks.push_back(std::move(mark));
    }
  }
  return plot;
}

std::vector<std::string> sentences(const ComparedFindings& both) {
  const CatalogComparison& c = both.comparison;
  const std::uint64_t pairs = c.pairs.size();
  std::vector<std::string> all{compared_line(kNameOfFirst, *both.first),
                               compared_line(kNameOfSecond, *both.second)};
  const std::uint64_t near = pairs - c.by_members;
  all.push_back(
      fmt::format("Pairs whose centers are within the larger of their radii: {} ({:.1f} % of A, "
                  "{:.1f} % of B).",
                  near, percent(near, c.first_count), percent(near, c.second_count)));
  if (c.by_members > 0)
    all.push_back(
        fmt::format("Pairs farther apart that share most of their members: {}.", c.by_members));
  if (pairs == 0) return all;
  all.push_back(fmt::format(
      "Mass of B / mass of A: median {:.4f}, scatter {:.4f} dex; {} pair{} beyond a factor of 2.",
      c.mass_ratio, c.mass_scatter_dex, c.far_masses, c.far_masses == 1 ? "" : "s"));
  all.push_back(fmt::format("Centers apart: median {:.4g}, 90 % within {:.4g}, largest {:.4g} {}.",
                            c.offset_median, c.offset_90, c.offset_largest, c.length_unit));
  if (c.members)
    all.push_back(
        fmt::format("Pairs of the very same members: {}. Of the IDs in either, both have {:.3f} in "
                    "the median.",
                    c.members->same, c.members->median));
  for (const std::string& sentence : c.assumed) all.push_back(sentence);
  return all;
}

bool lists_members(const Finding& finding) {
  return !finding.members.ids.empty();
}

}  // namespace

Measurement compare_findings(std::shared_ptr<const Finding> first,
                             std::shared_ptr<const Finding> second, const std::string& made_by,
                             Progress& progress) {
  auto both = std::make_shared<ComparedFindings>();
  both->first = std::move(first);
  both->second = std::move(second);
  const Finding &a = *both->first, &b = *both->second;
  const HaloTable &first_table = compared_table(a), &second_table = compared_table(b);
  for (const auto* const finding : {&a, &b})
    if (finding->pieces == 0)
      throw Error(fmt::format("{} found nothing: {}", finding->finder, finding->summary), "compare",
                  "search with other options");
  std::optional<MembersOfBoth> members;
  if (lists_members(a) && lists_members(b)) members.emplace(MembersOfBoth{a.members, b.members});
  both->comparison = compare_catalogs(a.catalog, first_table, b.catalog, second_table, {}, progress,
                                      members ? &*members : nullptr);
  both->first_alone.assign(std::size_t(first_table.count), true);
  both->second_alone.assign(std::size_t(second_table.count), true);
  for (const HaloPair& pair : both->comparison.pairs) {
    both->first_alone[std::size_t(pair.first)] = false;
    both->second_alone[std::size_t(pair.second)] = false;
  }
  Measurement made;
  made.plots = {counts_plot(*both), ratios_plot(*both)};
  if (auto functions = functions_plot(*both)) made.plots.push_back(std::move(*functions));
  for (Plot& plot : made.plots) {
    plot.notes.push_back(version());
    for (const auto& file : a.files) plot.notes.push_back(file);
    plot.notes.push_back(compared_line(kNameOfFirst, a));
    plot.notes.push_back(compared_line(kNameOfSecond, b));
    plot.notes.push_back(made_by);
  }
  for (const std::string& note : made.plots[1].notes) made.table += "# " + note + "\n";
  made.table += pairs_csv(both->comparison, first_table, second_table);
  made.table_of = made.plots[1].name;
  made.words = sentences(*both);
  made.compared = std::move(both);
  return made;
}

}  // namespace haloscope::analysis
