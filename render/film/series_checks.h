#pragma once

#include "core/snapshot_info.h"
#include "render/scene/render_request.h"

#include <string>
#include <vector>

namespace haloscope::render {

// What the snapshots of a film must have in common, told from their headers. All throw Error naming
// the snapshot that is wrong. One info per name.

// One box, one unit of length, and the same particle types of those that are drawn.
void require_one_run(const std::vector<std::string>& names, const std::vector<SnapshotInfo>& infos,
                     const RenderRequest& request);

// Each is later than the one before. Tables without times are taken as they come.
void require_order(const std::vector<std::string>& names, const std::vector<SnapshotInfo>& infos);

// Particles of these types can be followed from one to the next: they have IDs, and neither a
// sample nor copies were asked for.
void require_identities(const std::vector<std::string>& names,
                        const std::vector<SnapshotInfo>& infos, const std::vector<int>& types,
                        const RenderRequest& request);

// Why particles of these types cannot move by cubics (no velocities of a known unit, no times);
// empty where they can.
std::string lacking_for_cubics(const std::vector<std::string>& names,
                               const std::vector<SnapshotInfo>& infos,
                               const std::vector<int>& types);

}  // namespace haloscope::render
