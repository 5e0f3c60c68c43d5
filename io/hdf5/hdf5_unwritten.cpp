#include "io/hdf5/hdf5_unwritten.h"

#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_virtual.h"

#include <fmt/format.h>

namespace haloscope::io {

namespace {

using Text = std::optional<std::string>;

bool fill_value_was_chosen(hid_t creation) {
  H5D_fill_value_t fill = H5D_FILL_VALUE_DEFAULT;
  H5Pfill_value_defined(creation, &fill);
  return fill == H5D_FILL_VALUE_USER_DEFINED;
}

Text unwritten_chunks(hid_t dataset, const DatasetLayout& layout) {
  const std::uint64_t chunks = layout.chunks();
  hsize_t written = 0;
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  if (H5Dget_num_chunks(dataset, space.id(), &written) < 0)
    return "the index of its chunks is damaged";
  if (written == 0 || written >= chunks) return {};
  const std::uint64_t lost = chunks - written;
  return fmt::format("{} of {} chunks {} never written", lost, chunks, lost == 1 ? "was" : "were");
}

Text unmapped_rows(hid_t dataset, const DatasetLayout& layout) {
  const auto mapped = mapped_values(dataset);
  const std::uint64_t values = layout.values();
  if (!mapped || *mapped >= values) return {};
  return fmt::format("its sources have {} of {} rows", *mapped / (values / layout.rows()),
                     layout.rows());
}

}  // namespace

Text unwritten_part(hid_t dataset, const DatasetLayout& layout) {
  if (!layout.numeric || layout.rows() == 0) return {};
  Hdf5Lock lock;
  const Hdf5Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  if (fill_value_was_chosen(creation.id())) return {};
  if (layout.storage == DatasetLayout::Storage::Chunked) return unwritten_chunks(dataset, layout);
  return unmapped_rows(dataset, layout);
}

bool never_written(hid_t dataset, const DatasetLayout& layout) {
  Hdf5Lock lock;
  return layout.rows() > 0 && !is_virtual(dataset) && H5Dget_storage_size(dataset) == 0;
}

}  // namespace haloscope::io
