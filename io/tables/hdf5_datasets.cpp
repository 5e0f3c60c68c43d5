#include "io/tables/hdf5_datasets.h"

#include "io/bytes/scalar_type.h"
#include "io/grids/hdf5_grid_type.h"
#include "io/hdf5/hdf5_write.h"

#include <cstddef>
#include <cstdint>

namespace haloscope::io {

namespace {

constexpr std::uint64_t kMetadata = 1 << 16;  // of a file, and of each dataset

std::uint64_t bytes_of(const PlainDataset& dataset) {
  if (!dataset.grid_scalar)
    return dataset.rows * std::uint64_t(dataset.components) * scalar_bytes(dataset.scalar);
  std::uint64_t bytes = grid_scalar_bytes(*dataset.grid_scalar);
  for (const std::uint64_t side : dataset.shape) bytes *= side;
  return bytes;
}

Hdf5Handle write_values(Hdf5Writer& writer, const PlainDataset& from) {
  if (from.grid_scalar) {
    const hid_t type = hdf5_grid_type(*from.grid_scalar);
    Hdf5Handle dataset = writer.array(from.name, type, from.shape);
    writer.write_planes(dataset.id(), from.name, type, 0, from.shape, from.data);
    return dataset;
  }
  Hdf5Handle dataset = writer.dataset(from.name, from.scalar, from.rows, from.components);
  writer.write_rows(dataset.id(), from.name, from.scalar, 0, from.rows, from.components, from.data);
  return dataset;
}

}  // namespace

void write_hdf5_datasets(const std::string& path, const std::vector<PlainDataset>& datasets,
                         const std::map<std::string, std::string>& provenance, Progress& progress) {
  std::uint64_t bytes = kMetadata;
  for (const PlainDataset& dataset : datasets) bytes += bytes_of(dataset) + kMetadata;
  Hdf5Writer writer(path, bytes);
  for (const PlainDataset& from : datasets) {
    progress.report("writing " + from.name,
                    double(&from - datasets.data()) / double(datasets.size()));
    const Hdf5Handle dataset = write_values(writer, from);
    writer.text(dataset.id(), "unit", from.unit);
    writer.text(dataset.id(), "description", from.description);
  }
  {
    const Hdf5Handle origin = writer.group("Provenance");
    for (const auto& [key, text] : provenance) writer.text(origin.id(), key, text);
  }
  writer.commit();
}

}  // namespace haloscope::io
