#pragma once

#include "core/array.h"
#include "core/progress.h"
#include "io/loading/derived_fields.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"

#include <string>
#include <vector>

namespace haloscope::io {

// Columns of the rows that are kept, in float32. All throw BadFile as SnapshotReader::read does.

// One value per particle, times `factor`.
Array<float> read_scalar(const SnapshotReader& reader, int type, const RowMap& rows,
                         const std::string& field, Progress& progress, double factor = 1);

// A stored or derived field, one array per component.
std::vector<Array<float>> read_field(const SnapshotReader& reader, int type, const RowMap& rows,
                                     const FieldPlan& plan, Progress& progress);

// The kernel's support radius H in code lengths: a stored length, or the radius of the sphere with
// the volume of the cell, times the format's factor.
Array<float> read_support_radius(const SnapshotReader& reader, int type, const RowMap& rows,
                                 const SmoothingLengthMeaning& meaning, Progress& progress);

}  // namespace haloscope::io
