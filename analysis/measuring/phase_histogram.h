#pragma once

#include "analysis/measuring/bin_edges.h"
#include "analysis/measuring/phase_options.h"
#include "core/particles.h"
#include "core/progress.h"
#include "core/snapshot_info.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Which fields a histogram is of, as the loaded columns call them.
struct PhaseRequest {
  std::string x, y;    // empty y: one field
  bool count = false;  // sum numbers
  std::string weight;  // a field; empty: numbers or masses
  std::array<std::size_t, 2> bins{kUsualPhaseBins, kUsualPhaseBins};
  std::array<BinScale, 2> scales{BinScale::Auto, BinScale::Auto};
  std::array<std::optional<std::array<double, 2>>, 2> ranges;
};

// Sums of particles in bins of one or two fields.
struct PhaseHistogram {
  std::array<BinEdges, 2> edges;  // the second is of no use for one field
  bool of_two = false;
  // Of the bins, those of the first bin of x first.
  std::vector<double> sums;
  std::vector<double> squares;  // of the weights: the variance of a sum, if particles are random
  std::vector<std::uint64_t> counts;
  double total = 0;  // weight in the bins

  std::uint64_t particles = 0;     // in the bins
  std::uint64_t not_finite = 0;    // left out: a field or weight is no number
  std::uint64_t outside = 0;       // left out: beyond the first or last edges
  std::uint64_t no_logarithm = 0;  // of these: 0 or less, on a logarithmic scale
};

// Sums the particles, whose columns have the fields. Throws Error where no particle has a place in
// a bin. The same for any number of threads.
PhaseHistogram make_phase_histogram(const ParticleSet& particles, const PhaseRequest& request,
                                    Progress& progress);

}  // namespace haloscope::analysis
