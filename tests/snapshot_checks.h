#pragma once

#include "core/error.h"
#include "io/loading/particle_loader.h"
#include "io/snapshot_reader.h"
#include "tests/catch.h"
#include "tests/made/snapshot_files.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

// Questions that tests ask of an open snapshot.
namespace snapshot_checks {

inline bool says(const haloscope::SnapshotInfo& info, const std::string& part) {
  return std::any_of(info.assumed.begin(), info.assumed.end(),
                     [&](const auto& one) { return one.sentence.find(part) != std::string::npos; });
}

inline std::string failure(const std::string& path,
                           const haloscope::io::OpenOptions& options = {}) {
  try {
    haloscope::io::open_snapshot(path, options);
  } catch (const haloscope::Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

// All values of a field, row by row.
inline std::vector<double> values_of(const haloscope::io::SnapshotReader& reader, int type,
                                     const std::string& field) {
  const haloscope::TypeInfo& info = reader.info().types.at(type);
  const auto components = std::size_t(info.find(field)->components);
  std::vector<double> values(info.count * components);
  haloscope::Progress progress;
  reader.read(
      type, field,
      [&](const haloscope::io::ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows; ++i)
          for (int c = 0; c < chunk.components; ++c)
            values[(chunk.first + i) * components + std::size_t(c)] = chunk.value(i, c);
      },
      progress);
  return values;
}

// IDs as they are, never through a double.
inline std::vector<std::uint64_t> ids_of(const haloscope::io::SnapshotReader& reader, int type) {
  const haloscope::TypeInfo& info = reader.info().types.at(type);
  std::vector<std::uint64_t> ids(info.count);
  haloscope::Progress progress;
  reader.read(
      type, info.roles.at(haloscope::Role::Id),
      [&](const haloscope::io::ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows; ++i) {
          REQUIRE((chunk.scalar == haloscope::ScalarType::UInt64 ||
                   chunk.scalar == haloscope::ScalarType::Int64));
          ids[chunk.first + i] = static_cast<const std::uint64_t*>(chunk.data)[i];
        }
      },
      progress);
  return ids;
}

// How often each row came when only `rows` were asked for.
inline std::vector<int> rows_handed_over(const haloscope::io::SnapshotReader& reader, int type,
                                         const std::string& field,
                                         const std::vector<haloscope::io::RowRange>& rows) {
  std::vector<std::atomic<int>> seen(reader.info().types.at(type).count);
  haloscope::Progress progress;
  reader.read_rows(
      type, field, rows,
      [&](const haloscope::io::ColumnChunk& chunk) {
        for (std::uint64_t i = 0; i < chunk.rows; ++i) ++seen.at(chunk.first + i);
      },
      progress);
  return {seen.begin(), seen.end()};
}

// Positions in fixed point equal the stored ones to the step, across the edge of a periodic box
// where they lie outside.
inline void check_round_trip(const haloscope::io::SnapshotReader& reader, int type,
                             const std::vector<float>& stored) {
  haloscope::Progress progress;
  haloscope::io::LoadRequest request;
  request.types.push_back({type, {}, false, false});
  const auto set = haloscope::io::load_particles(reader, request, progress);
  REQUIRE(set.types.at(0).count == stored.size() / 3);
  double worst = 0;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    const double x = set.domain.to_world(set.types[0].position[i % 3][i / 3], int(i % 3));
    double away = std::abs(x - double(stored[i]));
    if (set.domain.periodic) away = std::abs(std::remainder(away, set.domain.side));
    worst = std::max(worst, away);
  }
  CHECK(worst <= set.domain.step());
}

}  // namespace snapshot_checks
