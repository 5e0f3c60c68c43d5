#include "analysis/measuring/measurement.h"

#include "analysis/measuring/phase_output.h"
#include "analysis/measuring/phase_search.h"
#include "analysis/measuring/profile_output.h"
#include "analysis/measuring/profile_plots.h"
#include "analysis/measuring/profile_search.h"
#include "analysis/option_parsing/option_error.h"
#include "analysis/snapshot/open_snapshot.h"
#include "io/catalogs/catalog_reader.h"

#include <optional>

namespace haloscope::analysis {

namespace {

template <class Measure>
Measurement with_words_in_faults(const char* command, const Measure& measure) {
  try {
    return measure();
  } catch (const OptionError& error) {
    throw Error(with_words(error.what()), command);
  }
}

}  // namespace

Measurement measure_profile_in(const std::string& snapshot, const SnapshotOptions& said,
                               const ProfileOptions& options, const HaloCatalog* catalog,
                               const std::string& made_by, Progress& progress,
                               const std::string& about,
                               const std::shared_ptr<const ResidentPoints>& resident) {
  return with_words_in_faults("profile", [&] {
    check_options(options);
    const auto reader = open_snapshot(snapshot, said);
    std::optional<HaloCatalog> read;
    if (options.structure && !catalog) {
      read = io::open_catalog(options.catalog, {}, progress);
      catalog = &*read;
    }
    const RadialProfile profile =
        find_profile(*reader, options, catalog, progress, about, resident);
    const auto origin = origin_lines(reader->info().files, made_by);
    Measurement made;
    made.plots = profile_plots(profile, origin);
    // Beside the plots of what was found, whose names may be the same.
    for (Plot& plot : made.plots) plot.name = "profile_" + plot.name;
    made.table = profile_csv(profile, origin);
    made.words = profile_in_words(profile);
    made.said = profile.said;
    return made;
  });
}

Measurement measure_phase_in(const std::string& snapshot, const SnapshotOptions& said,
                             const PhaseOptions& options, const std::string& made_by,
                             Progress& progress) {
  return with_words_in_faults("phase", [&] {
    check_options(options);
    const auto reader = open_snapshot(snapshot, said);
    const FoundPhase found = find_phase(*reader, options, progress);
    const auto origin = origin_lines(reader->info().files, made_by);
    Measurement made;
    made.plots = {phase_plot(found, origin)};
    made.table = phase_csv(found, origin);
    made.words = phase_in_words(found);
    made.said = found.said;
    return made;
  });
}

}  // namespace haloscope::analysis
