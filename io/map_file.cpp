#include "io/map_file.h"

#include "core/array.h"
#include "core/atomic_file.h"
#include "core/check.h"
#include "core/error.h"
#include "core/visible_text.h"
#include "io/hdf5/hdf5_attributes.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/own_mark.h"

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <cstdint>

namespace haloscope::io {

namespace {

// Superblock, object headers and the heap that holds the texts, beside the texts themselves.
constexpr std::uint64_t kMapMetadataBytes = 1 << 16;

[[noreturn]] void failed(const char* what) {
  std::string reason = hdf5_last_error();
  std::replace(reason.begin(), reason.end(), '\n', ' ');  // an error is one line
  throw Error(std::string("HDF5 could not write ") + what +
              (reason.empty() ? "" : " (" + reason + ")"));
}

Hdf5Handle checked(hid_t id, Hdf5Handle::Close close, const char* what) {
  if (id < 0) failed(what);
  return {id, close};
}

void write_text(hid_t object, const std::string& name, const std::string& text) {
  const Hdf5Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, "a text");
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const Hdf5Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, "a text");
  const Hdf5Handle attribute =
      checked(H5Acreate2(object, name.c_str(), type.id(), space.id(), H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose, "an attribute");
  const std::string visible = visible_text(text);
  const char* value = visible.c_str();
  if (H5Awrite(attribute.id(), type.id(), &value) < 0) failed("an attribute");
}

template <std::size_t N>
void write_numbers(hid_t object, const char* name, const std::array<double, N>& numbers) {
  const hsize_t count = N;
  const Hdf5Handle space = checked(H5Screate_simple(1, &count, nullptr), H5Sclose, "an attribute");
  const Hdf5Handle attribute =
      checked(H5Acreate2(object, name, H5T_IEEE_F64LE, space.id(), H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose, "an attribute");
  if (H5Awrite(attribute.id(), H5T_NATIVE_DOUBLE, numbers.data()) < 0) failed("an attribute");
}

void write_dataset(hid_t file, const ProjectedMap& map) {
  const hsize_t shape[2] = {hsize_t(map.height), hsize_t(map.width)};
  const Hdf5Handle space =
      checked(H5Screate_simple(2, shape, nullptr), H5Sclose, "the dataset map");
  const Hdf5Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "the dataset map");
  // The same contents are the same bytes, whenever they are written.
  H5Pset_obj_track_times(creation.id(), false);
  const Hdf5Handle dataset = checked(
      H5Dcreate2(file, "map", H5T_IEEE_F32LE, space.id(), H5P_DEFAULT, creation.id(), H5P_DEFAULT),
      H5Dclose, "the dataset map");
  write_text(dataset.id(), "quantity", map.quantity);
  write_text(dataset.id(), "units", map.unit);
  write_numbers(dataset.id(), "extent", map.extent);
  write_text(dataset.id(), "extent_unit", map.length_unit);
  write_numbers(dataset.id(), "pixel_size", map.pixel_size);
  write_text(dataset.id(), "row_order",
             "row 0 is the top of the map (y = extent[3]), column 0 its left (x = extent[0])");
  if (H5Dwrite(dataset.id(), H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, map.values.data()) <
      0)
    failed("the dataset map");
}

// Makes the file in memory, so that the library never meets a full disk: one that it cannot flush
// it cannot close either, and it crashes at the end of the program (seen with HDF5 1.10.8).
Hdf5Handle build_in_memory(const std::string& name, std::uint64_t expected_bytes,
                           const ProjectedMap& map, hid_t access) {
  if (H5Pset_fapl_core(access, expected_bytes, false) < 0) failed("in memory");
  Hdf5Handle file =
      checked(H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose, "the file");
  write_dataset(file.id(), map);
  const Hdf5Handle group =
      checked(H5Gcreate2(file.id(), "provenance", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
              "the group provenance");
  for (const auto& [key, text] : map.provenance) write_text(group.id(), key, text);
  if (H5Fflush(file.id(), H5F_SCOPE_GLOBAL) < 0) failed("the file");
  return file;
}

}  // namespace

void write_map_hdf5(const std::string& path, const ProjectedMap& map) {
  HALOSCOPE_CHECK(map.width, >=, 1);
  HALOSCOPE_CHECK(map.height, >=, 1);
  HALOSCOPE_CHECK(map.values.size(), ==, std::size_t(map.width) * std::size_t(map.height));
  const std::uint64_t data_bytes = map.values.size() * sizeof(float);
  std::uint64_t text_bytes = 0;
  for (const auto& [name, text] : map.provenance) text_bytes += name.size() + text.size();

  const std::uint64_t expected_bytes = data_bytes + text_bytes + kMapMetadataBytes;
  require_host_memory(expected_bytes, "writing the map");

  AtomicFile output(path);
  Hdf5Lock lock;
  const Hdf5Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "the file");
  const Hdf5Handle file = build_in_memory(path, expected_bytes, map, access.id());
  const ssize_t size = H5Fget_file_image(file.id(), nullptr, 0);
  void** image = nullptr;  // the core driver hands out the address of its own pointer
  if (size < 0 || H5Fget_vfd_handle(file.id(), access.id(), reinterpret_cast<void**>(&image)) < 0)
    failed("the file");
  output.require_space(std::uint64_t(size));
  output.write(*image, std::size_t(size));
  output.commit();
}

std::optional<std::string> own_map_in_words(const std::string& path) try {
  if (!has_own_mark(path)) return {};
  const Hdf5Lock lock;
  const Hdf5Handle file = open_if_hdf5(path);
  if (!file || H5Lexists(file.id(), "map", H5P_DEFAULT) <= 0) return {};
  const Hdf5Handle map(H5Dopen2(file.id(), "map", H5P_DEFAULT), H5Dclose);
  if (!map) return {};
  const auto quantity = text_attribute(map.id(), "quantity");
  const auto size = number_attribute(map.id(), "pixel_size");
  const Hdf5Handle space(H5Dget_space(map.id()), H5Sclose);
  hsize_t shape[2] = {};
  if (!quantity || !size || size->size() != 2 || H5Sget_simple_extent_ndims(space.id()) != 2 ||
      H5Sget_simple_extent_dims(space.id(), shape, nullptr) != 2)
    return {};
  const std::string unit = text_attribute(map.id(), "units").value_or("");
  return fmt::format("{}{}, {} x {} pixels of {:.4g} x {:.4g} {}", *quantity,
                     unit.empty() ? "" : " [" + unit + "]", shape[1], shape[0], (*size)[0],
                     (*size)[1], text_attribute(map.id(), "extent_unit").value_or(""));
} catch (const Error&) {
  return {};
}

}  // namespace haloscope::io
