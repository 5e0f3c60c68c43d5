#pragma once

#include "analysis/file_rows.h"
#include "analysis/snapshot/field_histogram.h"
#include "analysis/snapshot/smoothing_lengths.h"
#include "compute/splotch/renderer.h"
#include "core/particles.h"
#include "core/snapshot_info.h"
#include "render/scene/renderer_input.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::render {

// What was loaded of a snapshot: the columns until the renderer has copies of its own, and what
// stays known of them. Vectors have one entry per type that has particles.
class LoadedParticles {
 public:
  LoadedParticles() = default;
  // Particles as they were read, which are cleaned here. Those whose `mean_field` (of a map of
  // means, or empty) is not a number lose their mass.
  // `ranks`: they are this rank's part; counts and mass are those of all.
  explicit LoadedParticles(ParticleSet particles, const std::string& mean_field = {},
                           compute::Ranks& ranks = compute::alone());

  // Reads or searches the smoothing lengths that the file lacks. Throws as SmoothingLengths::find.
  void find_lengths(const SnapshotInfo& info, const analysis::LengthsChoice& choice,
                    Progress& progress);
  // Takes those that were found for this rank's particles.
  void set_lengths(analysis::SmoothingLengths lengths) { lengths_ = std::move(lengths); }
  // Those; null where a type has its own, or is left to the renderer.
  std::vector<const float*> found_lengths() const;
  // Takes note of how many of each type's lengths were estimated.
  void set_estimated(std::vector<std::uint64_t> estimated) { estimated_ = std::move(estimated); }
  // Counts the values of the types' colors, of a color by local density those of a sample of the
  // radii that `renderer` has. `ranks`: those of all ranks' particles, and all call it.
  void count_colors(const RendererInput& input, const compute::splotch::Renderer& renderer,
                    compute::Ranks& ranks = compute::alone());
  // The columns of a type, which are gone from here then.
  ParticleColumns take_columns(std::size_t k) { return std::move(particles_.types.at(k)); }
  // Gives the columns' memory back.
  void forget_columns();

  const ParticleSet& particles() const { return particles_; }
  double mass() const { return mass_; }  // of all, code masses
  const std::vector<int>& types() const { return types_; }
  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::uint64_t>& counts() const { return counts_; }
  // This rank's rows, and how many of them were kept.
  const std::vector<analysis::OwnRows>& own_rows() const { return own_rows_; }
  const std::vector<std::uint64_t>& own_counts() const { return own_counts_; }
  // Rows of the file that are not among counts(), of this rank.
  const std::vector<std::vector<std::uint64_t>>& rejected_rows() const { return rejected_rows_; }
  const std::vector<std::uint64_t>& estimated() const { return estimated_; }
  // Empty for one color and for RGB; none where colors were not counted.
  const std::vector<analysis::FieldHistograms>& histograms() const { return histograms_; }
  const analysis::SmoothingLengths& lengths() const { return lengths_; }

 private:
  ParticleSet particles_;
  double mass_ = 0;
  std::vector<int> types_;
  std::vector<std::string> names_;
  std::vector<std::uint64_t> counts_, own_counts_, estimated_;
  std::vector<analysis::OwnRows> own_rows_;
  std::vector<std::vector<std::uint64_t>> rejected_rows_;
  std::vector<analysis::FieldHistograms> histograms_;
  analysis::SmoothingLengths lengths_{analysis::LengthsChoice{}};
};

}  // namespace haloscope::render
