#pragma once

#include "compute/splotch/renderer.h"
#include "core/domain.h"
#include "core/particles.h"
#include "core/progress.h"

#include <string>

namespace haloscope::render {

// The cells of a moving mesh's gas, kept for maps that are made by them.
class MeshCells {
 public:
  // `field`: of the columns, whose means can be asked for; others of more than one component, or of
  // none, cannot. `support_per_radius`: smoothing lengths are so many radii of cells.
  MeshCells(const Domain& domain, ParticleColumns columns, const std::string& field,
            double support_per_radius);

  // As a frame of map mode. `mean_field`: the field above, or empty. `view`: parallel, all depths.
  compute::splotch::Frame draw(const compute::splotch::View& view, const std::string& mean_field,
                               Progress& progress) const;

 private:
  Domain domain_;
  ParticleColumns columns_;
  std::string field_;
};

}  // namespace haloscope::render
