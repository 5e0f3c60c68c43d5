#include "io/hdf5/hdf5_values.h"

#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_other_files.h"

namespace haloscope::io {

namespace {

// More values than this are believed only where bytes in the file stand behind them.
constexpr std::size_t kFreeValues = std::size_t(1) << 16;

// A shape alone costs a hostile file nothing; no usual compressor gains more than a factor 1033.
bool room_for_values(hid_t dataset, const DatasetLayout& layout, std::size_t count) {
  if (count <= kFreeValues) return true;
  return storage_can_hold_values(dataset, layout) &&
         count / 1033 <= std::size_t(H5Dget_storage_size(dataset));
}

template <class T>
std::optional<std::vector<T>> read_values(hid_t parent, const std::string& name, std::size_t most,
                                          hid_t memory_type) {
  Hdf5Lock lock;
  if (parent < 0) return {};
  const Hdf5Handle dataset = open_hdf5_dataset(parent, name);
  if (!dataset || has_raw_storage(dataset.id())) return {};
  const DatasetLayout layout = dataset_layout(dataset.id());
  if (!layout.numeric) return {};
  std::size_t count = 1;
  for (const std::uint64_t size : layout.shape) {
    if (size > most || count * size > most) return {};
    count *= std::size_t(size);
  }
  if (!room_for_values(dataset.id(), layout, count)) return {};
  std::vector<T> values(count);
  if (count > 0 &&
      H5Dread(dataset.id(), memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
    return {};
  return values;
}

}  // namespace

std::optional<std::vector<double>> number_dataset(hid_t parent, const std::string& name,
                                                  std::size_t most) {
  return read_values<double>(parent, name, most, H5T_NATIVE_DOUBLE);
}

std::optional<std::vector<std::uint64_t>> count_dataset(hid_t parent, const std::string& name,
                                                        std::size_t most) {
  return read_values<std::uint64_t>(parent, name, most, H5T_NATIVE_UINT64);
}

}  // namespace haloscope::io
