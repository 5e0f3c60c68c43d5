#include "analysis/clusters/mass_weights.h"

#include "analysis/halos/mean_spacing.h"
#include "analysis/option_parsing/option_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace haloscope::analysis {

namespace {

constexpr const char* kMass = "mass";

// In the file, of the particle that is number `k` of those that were kept.
std::uint64_t file_row(const ParticleColumns& columns, std::uint64_t k) {
  for (const std::uint64_t rejected : columns.rejected_rows) k += rejected <= k ? 1 : 0;
  return k;
}

}  // namespace

void check_mass_weights(const SnapshotInfo& info, const std::vector<int>& types,
                        const ClustersOptions& options) {
  if (options.weights.empty()) return;
  if (options.weights != kMass)
    throw OptionError(
        fmt::format("the file is read as a snapshot, whose particles have no weights '{}'",
                    options.weights),
        marked("weights"),
        "use mass; text is read as a table of points, whose columns may be weights, where its "
        "header does not name x, y and z");
  for (const int type : types)
    if (!has_masses(info.types.at(type)))
      throw OptionError(
          fmt::format("the file does not tell the masses of {}", info.types.at(type).name),
          marked("weights"), "leave it out, or choose other `types`");
}

std::vector<double> mass_weights(const std::vector<const ParticleColumns*>& types) {
  std::uint64_t count = 0;
  for (const ParticleColumns* columns : types) count += columns->count;
  std::vector<double> weights;
  weights.reserve(std::size_t(count));
  for (const ParticleColumns* columns : types)
    for (std::uint64_t k = 0; k < columns->count; ++k) {
      const double mass =
          columns->mass.empty() ? columns->uniform_mass : double(columns->mass[std::size_t(k)]);
      if (!(std::isfinite(mass) && mass >= 0))
        throw OptionError(fmt::format("row {} of {}, counted from 0, has the mass {}",
                                      file_row(*columns, k), columns->name, mass),
                          marked("weights"),
                          "masses that weigh must be finite and 0 or more: leave it out, or leave "
                          "out such particles (--where)");
      weights.push_back(mass);
    }
  if (std::all_of(weights.begin(), weights.end(), [](double mass) { return mass == 0; }))
    throw OptionError("all masses are 0", marked("weights"), "leave it out");
  return weights;
}

}  // namespace haloscope::analysis
