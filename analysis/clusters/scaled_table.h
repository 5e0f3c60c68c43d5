#pragma once

#include "core/halo_catalog.h"
#include "io/tables/point_table.h"

#include <vector>

namespace haloscope::analysis {

// A table with each column divided by a number. Throws OptionError unless there is one for each
// column, Error for what no number holds then.
io::PointTable scaled_table(const io::PointTable& table, const std::vector<double>& scale);

// Gives the places of clusters of such a table back in the numbers of the table itself.
void unscale_places(const std::vector<double>& scale, HaloTable& groups);

}  // namespace haloscope::analysis
