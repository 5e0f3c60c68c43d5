#pragma once

#include "analysis/particle_colors.h"
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

using analysis::ParticleColors;

// Of a finding's fields, which say nothing about their palette.
inline constexpr const char* kFieldPalette = "viridis";

// Scale, limits and palette of a finding's field as it is drawn; `colors.field` is one of it.
compute::splotch::Ranging field_color(const ParticleColors& colors);
std::string field_palette(const analysis::ColorChoice& look);

// What a request's own search found, for particles to have its colors.
struct SearchedColors {
  ParticleColors colors;
  std::string note;  // a sentence about that; empty: nothing was asked for
};

// Searches for what `request` wants the colors of. Called before the particles that are drawn are
// read: a search has its own, and gives them up again. Throws as analysis::find_in.
SearchedColors search_colors(const RenderRequest& request, compute::Device device,
                             const io::SnapshotReader& reader, Timings& timings,
                             Progress& progress);

// What particles have in place of their own colors: those of a finding. Which
// snapshot they are of, and who draws them, is the caller's; both are the same in all calls.
class ParticleColoring {
 public:
  // Colors the particles from now on, or gives them their own colors again; values that they have
  // already are not handed over anew. Throws Error;
  // particles have their own colors then, and the same colors, asked for again and again, change
  // nothing and throw no more until others or none were asked for.
  void set(ParticleColors colors, const LoadedParticles& loaded,
           compute::splotch::Renderer& renderer);

  const ParticleColors& colors() const { return colors_; }

  // Changes the appearances of particles' own colors to those of the finding, if there is one.
  void adapt(std::vector<compute::splotch::Appearance>& appearances) const;

  // Adds to what decides the pixels of a picture.
  void describe(nlohmann::json& scene) const;

 private:
  ParticleColors colors_;
  std::vector<int> types_;  // of the appearances
  // Asked for last, could not be had.
  std::weak_ptr<const analysis::Finding> failed_;
  std::string failed_field_;
};

}  // namespace haloscope::render
