#pragma once

#include "analysis/halos/halo_colors.h"
#include "compute/splotch/renderer.h"
#include "core/progress.h"
#include "core/timings.h"
#include "io/snapshot_reader.h"
#include "render/scene/loaded_particles.h"
#include "render/scene/render_request.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace haloscope::render {

using ParticleColors = std::shared_ptr<const analysis::HaloColors>;

// What a request's own search found, for particles to have the colors of their halos.
struct SearchedColors {
  ParticleColors colors;  // null: none
  std::string note;       // a sentence about that; empty: nothing was asked for
};

// Finds the halos whose colors `request` asks for. Called before the particles that are drawn are
// read: a search has its own, and gives them up again. Throws as search_halos.
SearchedColors search_colors(const RenderRequest& request, const io::SnapshotReader& reader,
                             Timings& timings, Progress& progress);

// What particles have in place of their own colors: those of the halos that they are in. Which
// snapshot they are of, and who draws them, is the caller's; both are the same in all calls.
class ParticleColoring {
 public:
  // Colors the particles from now on, or gives them their own colors again (null). Throws Error;
  // particles have their own colors then, and the same colors, asked for again and again, change
  // nothing and throw no more until others or none were asked for.
  void set(ParticleColors colors, const LoadedParticles& loaded,
           compute::splotch::Renderer& renderer);

  // Makes appearances of particles with their own colors those of particles as they are.
  void adapt(std::vector<compute::splotch::Appearance>& appearances) const;

  // Adds to what decides the pixels of a picture.
  void describe(nlohmann::json& scene) const;

 private:
  ParticleColors colors_;
  std::weak_ptr<const analysis::HaloColors> failed_;  // asked for last, could not be had
};

}  // namespace haloscope::render
