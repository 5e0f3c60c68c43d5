#pragma once

#include "compute/splotch/settings.h"
#include "core/snapshot_info.h"
#include "render/scene/loaded_particles.h"
#include "render/scene/render_request.h"
#include "render/scene/scene_looks.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace haloscope::render {

// What a picture is made of, for the words about it.
struct DescribedScene {
  const RenderRequest& request;
  const SnapshotInfo& info;
  const LoadedParticles& loaded;
  const SceneLooks& looks;
};

// Everything that decides the pixels of a picture but its exposure's zero point, and what its
// particles have in place of their own colors (ParticleColoring::describe).
nlohmann::json describe(const DescribedScene& scene, const compute::splotch::View& view);

// What is drawn and what was assumed, a sentence each.
std::vector<std::string> sentences(const DescribedScene& scene);

}  // namespace haloscope::render
