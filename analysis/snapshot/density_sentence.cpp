#include "analysis/snapshot/density_sentence.h"

#include "core/log.h"
#include "io/loading/density_check.h"
#include "io/loading/mass_scan.h"
#include "io/loading/position_scan.h"
#include "io/loading/selected_snapshot.h"

namespace haloscope::analysis {

std::optional<std::string> density_sentence(const io::SnapshotReader& reader, MassReading reading,
                                            Progress& progress) {
  const SnapshotInfo& info = reader.info();
  const bool comparable = io::density_over_omega(info, 1).has_value();
  if (reading == MassReading::None || !comparable) return io::odd_density(info);
  const auto mass = io::scan_masses(reader, progress);
  return mass ? io::odd_density(info, mass) : std::nullopt;
}

std::optional<std::string> check_density(const io::SnapshotReader& reader, bool aloud,
                                         Progress& progress) {
  if (const io::SelectedSnapshot* const selected = io::as_selected(reader))
    return check_density(selected->whole(), aloud, progress);
  const bool small = io::scan_bytes(reader) <= kScannedByDefault;
  const auto sentence =
      density_sentence(reader, small ? MassReading::Yes : MassReading::None, progress);
  if (sentence && aloud) log::warn(*sentence);
  return sentence;
}

}  // namespace haloscope::analysis
