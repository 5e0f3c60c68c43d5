#include "analysis/topology/peaks_options.h"

#include "analysis/option_parsing/option_checks.h"
#include "analysis/topology/peaks_words.h"

#include <fmt/format.h>

namespace haloscope::analysis {

namespace {

// In place of thresholds of their own.
void check_components(const PeaksOptions& options) {
  if (options.halos.empty()) return;
  if (!options.threshold.empty())
    throw OptionError("halos have a boundary of their own", marked("threshold"), "leave it out");
  if (!options.persistence.empty())
    throw OptionError("halos are whole components, and none of them is noise",
                      marked("persistence"), "leave it out, or `halos`");
}

// They may have a threshold too: it leaves out what their zones hold of walls.
void check_voids(const PeaksOptions& options) {
  if (options.voids.empty()) return;
  if (!options.halos.empty())
    throw OptionError("voids and halos are two searches", marked("voids"),
                      "leave it out, or `halos`");
  if (!options.persistence.empty())
    throw OptionError("voids are joined by their walls, and none of them is noise",
                      marked("persistence"), "leave it out, or `voids`");
  if (options.method == PeaksMethod::Triplet)
    throw OptionError("voids are basins, which triplets do not know", marked("method"),
                      "leave it out, or `voids`");
  if (options.segments == SegmentKind::Branch)
    throw OptionError("voids are basins, not branches", marked("segments"),
                      "leave it out, or `voids`");
  const double wall = parse_void_levels(options.voids)->wall;
  const auto threshold = parse_threshold(options.threshold);
  if (threshold && threshold->of == Amount::Of::Mean && threshold->value < wall)
    throw OptionError(
        fmt::format("cells above {:g} times the mean are left out, so that no voids are joined "
                    "across walls of up to {:g} times",
                    threshold->value, wall),
        marked("threshold"), "give a higher one, or a lower wall");
}

}  // namespace

PeaksOptions completed(const PeaksOptions& options) {
  PeaksOptions all = options;
  if (all.voids.empty()) return all;
  all.levels = compute::topology::Levels::Sub;
  if (all.smooth.empty()) all.smooth = kVoidSmoothing;
  return all;
}

bool takes_persistence(const PeaksOptions& options) {
  return options.halos.empty() && options.voids.empty();
}

bool have_one_tree(const PeaksOptions& one, const PeaksOptions& other) {
  const PeaksOptions a = completed(one);
  PeaksOptions same = completed(other);
  same.voids = a.voids;
  same.persistence = a.persistence;
  same.segments = a.segments;
  same.zero_pairs = a.zero_pairs;
  same.softening = a.softening;
  return same == a;
}

void check_options(const PeaksOptions& options) {
  const OptionChecks checks;
  PeaksOptions copy = options;
  visit(checks, copy);
  grid_choice(options, 1);
  const auto axes = parse_closed(options.closed);
  const bool closed = axes && *axes != std::array<bool, 3>{};
  if (closed && !options.region.empty())
    throw OptionError("a region has edges, at which nothing lies beyond", marked("closed"),
                      "leave it out, or `region`");
  parse_threshold(options.threshold);
  check_voids(options);
  parse_component_levels(options.halos, options.levels);
  check_components(options);
  const auto persistence = parse_persistence(options.persistence);
  if (persistence && options.log && persistence->of == Amount::Of::Mean)
    throw OptionError("persistence in logarithms is no multiple of the mean", marked("persistence"),
                      "write ratio:X, or decades as abs:X");
}

}  // namespace haloscope::analysis
