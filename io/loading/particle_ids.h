#pragma once

#include "core/progress.h"
#include "io/loading/row_map.h"
#include "io/snapshot_reader.h"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace haloscope::io {

// Text tables hold whole numbers as floating-point ones. A negative or broken one has no ID to be.
template <class T>
std::uint64_t as_id(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    constexpr T kEnd = T(18446744073709551616.0);
    return value >= 0 && value < kEnd ? std::uint64_t(value) : ~std::uint64_t(0);
  } else {
    return std::uint64_t(value);
  }
}

// The field of a type's IDs, or null.
const FieldInfo* id_field(const TypeInfo& info);

// IDs of a type's particles in the order of the file, 64-bit integers exactly; without the rows in
// `left_out` (ascending), as ParticleColumns::rejected_rows. Empty where the type has no IDs.
std::vector<std::uint64_t> load_ids(const SnapshotReader& reader, int type,
                                    const std::vector<std::uint64_t>& left_out, Progress& progress);

// The same of a few rows alone, which count without those in `left_out`: ascending and distinct.
// Reads what lies around them and no more where the format can skip.
std::vector<std::uint64_t> load_ids_of(const SnapshotReader& reader, int type,
                                       const std::vector<std::uint64_t>& left_out,
                                       std::vector<std::uint64_t> rows, Progress& progress);

// The same of the rows that are kept, in their order. Empty where the type has no IDs.
std::vector<std::uint64_t> load_ids_of(const SnapshotReader& reader, int type, const RowMap& rows,
                                       Progress& progress);

}  // namespace haloscope::io
