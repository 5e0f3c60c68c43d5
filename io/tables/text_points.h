#pragma once

#include "core/progress.h"
#include "io/catalogs/text_table.h"
#include "io/tables/point_table.h"

#include <string>
#include <vector>

// Points as text: a row of numbers per point, between commas, semicolons, tabs or blanks.
namespace haloscope::io {

// Names of the columns, in the first line or the last comment above it; empty where there are none.
std::vector<std::string> names_of_points(const TextHead& head);

// Throws Error naming the line for a row with another number of cells, or a cell that is no number.
PointTable read_text_points(const std::string& path, Progress& progress);

}  // namespace haloscope::io
