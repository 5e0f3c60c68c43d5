#include "analysis/measuring/profile_options.h"

#include "analysis/measuring/option_numbers.h"
#include "analysis/option_parsing/option_checks.h"
#include "analysis/option_parsing/option_error.h"

#include <fmt/format.h>

namespace haloscope::analysis {

void check_options(const ProfileOptions& options) {
  ProfileOptions visited = options;
  OptionChecks checks;
  visit(checks, visited);
  if (options.bins > kMostProfileBins)
    throw OptionError(fmt::format("`bins` must be {} or fewer", kMostProfileBins));
  center_of(options);
  velocity_of(options);
  radii_of(options);
  if (!options.center.empty() && options.structure)
    throw OptionError("`center` and `structure` both tell the center; leave one of them out");
  if (options.center.empty() && !options.structure)
    throw OptionError(
        "a profile needs a center: give it by `center`, or by `structure` and `catalog`");
  if (options.structure && options.catalog.empty())
    throw OptionError("`structure` is a row of a catalog: name its file by `catalog`");
  if (!options.structure && !(options.catalog.empty() && options.table.empty()))
    throw OptionError("a catalog tells the center of one structure: choose it by `structure`");
}

std::optional<std::array<double, 3>> center_of(const ProfileOptions& options) {
  return three_numbers("center", options.center);
}

std::optional<std::array<double, 3>> velocity_of(const ProfileOptions& options) {
  return three_numbers("velocity", options.velocity);
}

std::optional<std::array<double, 2>> radii_of(const ProfileOptions& options) {
  const auto radii = number_range("radii", options.radii);
  if (radii && !((*radii)[0] > 0))
    throw OptionError("`radii` must be above 0, because bins are logarithmic");
  return radii;
}

}  // namespace haloscope::analysis
