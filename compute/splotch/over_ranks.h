#pragma once

#include "compute/exec/ranks.h"
#include "compute/splotch/light_sum.h"
#include "compute/splotch/map_sum.h"
#include "compute/splotch/settings.h"
#include "core/image.h"

#include <cstdint>
#include <span>
#include <vector>

// Pictures of several ranks, each of which has drawn its part of the particles. Partial pictures
// are summed by reduce-scatter: each rank gets the sums of a stretch of the picture's rows, makes
// numbers of them, and sends these to the first rank. All ranks call these functions together.
namespace haloscope::compute::splotch {

inline bool is_several(const Ranks* ranks) {
  return ranks && ranks->size() > 1;
}

// Of what all ranks have drawn.
Counts of_all_ranks(Ranks& ranks, const Counts& own);
// Null: those of this process.
AllLightPeaks of_all_ranks(Ranks* ranks, const AllLightPeaks& own);

// The picture of three channels, on the first rank; nothing on the others. Of sums of light in
// whole units of `unit`, three a pixel: the same bits for any number of ranks.
ImageF image_of_ranks(Ranks& ranks, int width, int height, const std::int64_t* rgb, double unit);
// Of light in floats, RGBA: added in the order of the ranks.
ImageF image_of_ranks(Ranks& ranks, int width, int height, const float* rgba);

// The rows of a picture that a rank sums up.
struct OwnRows {
  int first = 0, count = 0;
};
OwnRows own_rows(const Ranks& ranks, int height);
// One channel of a map: the sums of this rank's rows.
std::vector<MapSum> sum_own_rows(Ranks& ranks, int width, int height, const MapSum* sums);
// This rank's rows of a picture of three channels, put together on the first.
ImageF join_rows(Ranks& ranks, int width, int height, std::span<const float> rgb);

}  // namespace haloscope::compute::splotch
