#pragma once

#include "analysis/measuring/profile_options.h"
#include "analysis/measuring/radial_profile.h"
#include "analysis/snapshot/resident_points.h"
#include "core/halo_catalog.h"
#include "core/progress.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"

#include <memory>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What the options come to for this snapshot. `catalog`: of `structure`, else null. Adds sentences
// to `said`. Throws Error and OptionError in the user's words.
ProfileRequest profile_request(const SnapshotInfo& info, const ProfileOptions& options,
                               const HaloCatalog* catalog, std::vector<std::string>& said);

// The columns that a profile needs: of all particles, or of those around the center where the last
// radius is known before anything is read.
io::LoadRequest plan_profile_load(const SnapshotInfo& info, const ProfileRequest& request);

// Reads them and measures. `about`: what the profile is about, as who asks calls it ("halo 3");
// empty: the row of the catalog, or the point. `resident`: positions of the same snapshot with
// the same overrides, which need not be read again; null: all is read.
RadialProfile find_profile(const io::SnapshotReader& reader, const ProfileOptions& options,
                           const HaloCatalog* catalog, Progress& progress,
                           const std::string& about = {},
                           const std::shared_ptr<const ResidentPoints>& resident = {});

}  // namespace haloscope::analysis
