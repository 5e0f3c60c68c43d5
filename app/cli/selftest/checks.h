#pragma once

#include "app/cli/selftest/check.h"

#include <vector>

namespace haloscope::app::cli {

// Pictures in the default and classic mode, and a map.
std::vector<Check> picture_checks();
// Friends-of-friends and DBSCAN by each algorithm, neighbors, properties of halos.
std::vector<Check> search_checks();

std::vector<Check> all_checks();

}  // namespace haloscope::app::cli
