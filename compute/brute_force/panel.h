#pragma once

#include <cstdint>

// Rough distances of a few rows to a panel of others, in vector registers.
namespace haloscope::compute::brute_force {

inline constexpr std::uint32_t kPanelRows = 16, kRowsAtOnce = 6;

// Of each of kRowsAtOnce rows a bit for each column of the panel that may be no farther than its
// limit. `panel` holds kPanelRows numbers for each dimension; a column of NaN is never near.
// `squared_limit` is of squared distances, as limit_of() makes them.
void near_columns(const float* panel, const float* const* rows, const float* squared_limit,
                  std::uint32_t dimensions, std::uint32_t* near);

// A limit that holds back nothing whose distance, as row_distance.h measures it, is no larger than
// `distance`.
float limit_of(float distance, std::uint32_t dimensions);

}  // namespace haloscope::compute::brute_force
