#pragma once

#include "analysis/halos/halo_options.h"
#include "analysis/particle_colors.h"

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace haloscope::test {

// A finding of halos with nothing but labels of one type.
inline analysis::ParticleColors labeled(int type, std::vector<std::uint32_t> labels,
                                        std::uint64_t pieces,
                                        const analysis::HaloOptions& options = {}) {
  auto of = std::make_shared<Labels>();
  of->of[type] = std::move(labels);
  of->pieces = pieces;
  auto finding = std::make_shared<analysis::Finding>();
  finding->finder = "halos";
  finding->options = options;
  finding->pieces = pieces;
  finding->labels = std::move(of);
  return {std::move(finding), {}};
}

}  // namespace haloscope::test
