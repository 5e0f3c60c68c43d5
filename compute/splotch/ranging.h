#pragma once

#include "compute/exec/part_of_rows.h"
#include "compute/splotch/settings.h"

#include <cstddef>

namespace haloscope::compute::splotch {

// Smallest and largest transformed value of one or several columns (vector colors share one range).
// Log of values ≤ 0 and NaN are left out; with nothing left, low = high = 0.
// All ranks call these functions, those without rows too, and get the same.
Ranging data_range(const float* const* columns, int count, const PartOfRows& rows,
                   Transform transform);
inline Ranging data_range(const float* const* columns, int count, std::size_t rows,
                          Transform transform) {
  return data_range(columns, count, PartOfRows(alone(), rows), transform);
}

// The same at two quantiles in [0, 1], from an evenly spaced sample of at most 2^20 values: robust
// limits that a few extreme particles don't move.
Ranging quantile_range(const float* column, const PartOfRows& rows, Transform transform, double low,
                       double high);
inline Ranging quantile_range(const float* column, std::size_t rows, Transform transform,
                              double low, double high) {
  return quantile_range(column, PartOfRows(alone(), rows), transform, low, high);
}

// A limit typed by the user in the field's own units → transformed units.
float transformed(float value, Transform transform);

}  // namespace haloscope::compute::splotch
