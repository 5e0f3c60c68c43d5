#include "io/loading/mass_scan.h"

#include "io/loading/column_dispatch.h"

#include <mutex>

namespace haloscope::io {

namespace {

double sum_of_block(const SnapshotReader& reader, int type, const std::string& field,
                    Progress& progress) {
  std::mutex mutex;
  double sum = 0;
  reader.read(
      type, field,
      [&](const ColumnChunk& chunk) {
        double part = 0;
        with_typed_data(chunk, [&](const auto* data) {
          const auto stride = std::uint64_t(chunk.components);
          for (std::uint64_t i = 0; i < chunk.rows; ++i) part += double(data[i * stride]);
        });
        const std::lock_guard lock(mutex);
        sum += part;
      },
      progress);
  return sum;
}

}  // namespace

std::optional<double> scan_masses(const SnapshotReader& reader, Progress& progress) {
  const auto& types = reader.info().types;
  for (const auto& [number, type] : types)
    if (type.count > 0 && !(type.uniform_mass > 0) && !type.find(Role::Mass)) return {};
  double mass = 0;
  for (const auto& [number, type] : types) {
    if (type.count == 0) continue;
    mass += type.uniform_mass > 0
                ? double(type.count) * type.uniform_mass
                : sum_of_block(reader, number, type.find(Role::Mass)->name, progress);
  }
  return mass;
}

}  // namespace haloscope::io
