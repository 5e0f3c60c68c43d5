#pragma once

#include "io/snapshot_reader.h"

#include <memory>

namespace haloscope::io {

constexpr int kMostCopies = 64;

// A periodic snapshot repeated `copies` times along each axis, as one snapshot whose box is so many
// times as wide: copies³ times the particles, copy after copy. Nothing is kept in memory; each
// column is read once. All fields but positions repeat, IDs too, which is said. Throws Error for a
// snapshot without a periodic box, or more than kMostCopies copies along an axis.
std::unique_ptr<SnapshotReader> replicate(std::unique_ptr<SnapshotReader> reader, int copies);

}  // namespace haloscope::io
