#pragma once

#include "analysis/selection/set_members.h"
#include "compute/splotch/light_quantiles.h"
#include "compute/splotch/renderer.h"
#include "render/scene/loaded_particles.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::render {

// Sets of particles as pictures show them. What they look like may be newer than who is in them.
struct ShownSets {
  std::shared_ptr<const analysis::SetMembers> members;  // null: not known, nothing is shown
  analysis::ShowSets how = analysis::ShowSets::Off;
  std::vector<analysis::NamedSet> sets = {};

  explicit operator bool() const { return members && how != analysis::ShowSets::Off; }
  // The look of members->sets[k]; null: there is no such set any more.
  const analysis::NamedSet* look(std::size_t k) const;
  // Bits of the members' sets that are shown.
  std::uint16_t shown() const;
  // The same numbers of the particles, whatever they look like.
  bool same_labels(const ShownSets& other) const;
  bool operator==(const ShownSets& other) const;
};

// Labels of the particles of all types, as set_labels() gives them.
using SetLabels = std::vector<std::vector<std::uint8_t>>;
SetLabels labels_of(const ShownSets& sets, const LoadedParticles& loaded);

// How a label changes the light of a particle: first that of particles in no set, then one per set.
// All of it is relative to that of sets, which SetColoring::adapt() raises.
std::vector<compute::splotch::Tint> tints_of(const ShownSets& sets);

// What the automatic exposure goes by in a picture with sets, which has these quantiles: so that a
// dimmed rest is dark, and sets above the brightest of the rest keep their colors.
compute::splotch::LightQuantiles exposed_with_sets(compute::splotch::LightQuantiles light,
                                                   const ShownSets& sets);

// Which sets particles are in, as the renderer has it, and how that looks. Which snapshot the
// particles are of, and who draws them, is the caller's; both are the same in all calls.
class SetColoring {
 public:
  // Shows these sets from now on, or none. Labels that particles have already are not handed over
  // anew. Throws Error; no set is shown then, and the same ones, asked for again and again, change
  // nothing and throw no more until others or none were asked for.
  void set(ShownSets sets, const LoadedParticles& loaded, compute::splotch::Renderer& renderer);
  // The same with labels of particles that were shown in place of those that were loaded.
  void set_labels(ShownSets sets, const SetLabels& labels, compute::splotch::Renderer& renderer);
  // The renderer has other particles now, and none of them has a label.
  void forget() { *this = {}; }

  const ShownSets& sets() const { return sets_; }

  // Adds the tints to the appearances, where sets are shown, and raises the light of the sets.
  void adapt(std::vector<compute::splotch::Appearance>& appearances) const;

  // Adds to what decides the pixels of a picture.
  void describe(nlohmann::json& scene) const;

 private:
  ShownSets sets_;
  // Asked for last, could not be had.
  std::weak_ptr<const analysis::SetMembers> failed_;
};

}  // namespace haloscope::render
