#pragma once

#include "compute/exec/ranks.h"
#include "core/particles.h"
#include "io/loading/particle_loader.h"
#include "render/scene/render_request.h"
#include "render/scene/type_look.h"

#include <string>
#include <vector>

namespace haloscope::render {

// What to read of a snapshot, and how each type of it shall look.
struct LookPlan {
  io::LoadRequest load;
  std::vector<TypeLook> looks;  // one per load.types
  std::string one_scale;        // field whose colors mean the same for all types
  bool choose_one_transform = false;
  std::vector<std::string> notes;  // sentences: what was chosen for the user
};

// The types that a picture shows, by number. Without --types dark matter of low resolution is among
// them only in maps, which hold all mass, where a choice says `shown`, or where the request reads
// hidden types too. Throws as choose_types.
std::vector<int> drawn_types(const SnapshotInfo& info, const RenderRequest& request);

// The number of the type whose look a type has: of low resolution or not, dark matter is dark
// matter.
int look_of(const SnapshotInfo& info, int type);

// Writes the fields that a request names as the snapshot does. Throws Error for those that it
// lacks.
void match_fields(const SnapshotInfo& info, RenderRequest& request);

// Decides from what the snapshot holds. Throws Error where no type has the color field that was
// asked for (naming the nearest), for unknown types and palettes, and where --brightness does not
// fit the types.
LookPlan plan_looks(const SnapshotInfo& info, const RenderRequest& request);

// The plan's looks of the types that were loaded, in their order. Chooses log for fields that are
// positive and span more than a factor of 30, linear otherwise, and gives types that show the same
// field one scale. `ranks`: each with its part of the particles; all call it, and get the same.
std::vector<TypeLook> settled_looks(const ParticleSet& particles, const LookPlan& plan,
                                    compute::Ranks& ranks = compute::alone());

}  // namespace haloscope::render
