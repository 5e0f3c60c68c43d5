#include "io/hdf5/hdf5_write.h"

#include "core/visible_text.h"
#include "io/hdf5/hdf5_dataset.h"

#include <hdf5.h>

#include <algorithm>

namespace haloscope::io {

namespace {

// Rows of one compressed chunk: some hundred kB a column.
constexpr hsize_t kChunkRows = 1 << 16;
// Compressed chunks that are half written wait here for the piece with their other half.
constexpr std::size_t kChunkCacheBytes = std::size_t(128) << 20;

}  // namespace

Hdf5Writer::Hdf5Writer(const std::string& path, std::uint64_t expected_bytes) : output_(path) {
  output_.require_space(expected_bytes);
  Hdf5Lock lock;
  const Hdf5Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "the file");
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
#if H5_VERSION_GE(1, 10, 7)
  // The temporary file is locked already, and where locks go over a network both are of one kind.
  H5Pset_file_locking(access.id(), false, true);
#endif
  file_ =
      checked(H5Fcreate(output_.temporary_path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()),
              H5Fclose, "the file");
}

void Hdf5Writer::failed(const std::string& what) {
  std::string reason = hdf5_last_error();
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  output_.fail("HDF5 could not write " + what + (reason.empty() ? "" : " (" + reason + ")"));
}

Hdf5Handle Hdf5Writer::checked(hid_t id, Hdf5Handle::Close close, const std::string& what) {
  if (id < 0) failed(what);
  return {id, close};
}

Hdf5Handle Hdf5Writer::with_parents(const std::string& what) {
  Hdf5Handle link = checked(H5Pcreate(H5P_LINK_CREATE), H5Pclose, what);
  H5Pset_create_intermediate_group(link.id(), 1);
  return link;
}

Hdf5Handle Hdf5Writer::group(const std::string& name) {
  Hdf5Lock lock;
  const Hdf5Handle link = with_parents(name);
  return checked(H5Gcreate2(file_.id(), name.c_str(), link.id(), H5P_DEFAULT, H5P_DEFAULT),
                 H5Gclose, "the group " + name);
}

Hdf5Handle Hdf5Writer::scalar_space(const std::string& what) {
  return checked(H5Screate(H5S_SCALAR), H5Sclose, what);
}

Hdf5Handle Hdf5Writer::array_space(std::size_t size, const std::string& what) {
  const hsize_t extent = size;
  return checked(H5Screate_simple(1, &extent, nullptr), H5Sclose, what);
}

void Hdf5Writer::attribute(hid_t object, const std::string& name, hid_t type,
                           const Hdf5Handle& space, const void* values) {
  const Hdf5Handle made = checked(
      H5Acreate2(object, name.c_str(), type, space.id(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose, name);
  if (H5Awrite(made.id(), type, values) < 0) failed(name);
}

void Hdf5Writer::number(hid_t object, const std::string& name, double value) {
  Hdf5Lock lock;
  attribute(object, name, H5T_NATIVE_DOUBLE, scalar_space(name), &value);
}

void Hdf5Writer::whole(hid_t object, const std::string& name, std::int32_t value) {
  Hdf5Lock lock;
  attribute(object, name, H5T_NATIVE_INT32, scalar_space(name), &value);
}

void Hdf5Writer::count(hid_t object, const std::string& name, std::uint64_t value) {
  Hdf5Lock lock;
  attribute(object, name, H5T_NATIVE_UINT64, scalar_space(name), &value);
}

void Hdf5Writer::signed_count(hid_t object, const std::string& name, std::int64_t value) {
  Hdf5Lock lock;
  attribute(object, name, H5T_NATIVE_INT64, scalar_space(name), &value);
}

void Hdf5Writer::numbers(hid_t object, const std::string& name, const std::vector<double>& values) {
  Hdf5Lock lock;
  attribute(object, name, H5T_NATIVE_DOUBLE, array_space(values.size(), name), values.data());
}

void Hdf5Writer::counts(hid_t object, const std::string& name,
                        const std::vector<std::uint64_t>& values) {
  Hdf5Lock lock;
  attribute(object, name, H5T_NATIVE_UINT64, array_space(values.size(), name), values.data());
}

void Hdf5Writer::text(hid_t object, const std::string& name, const std::string& value) {
  Hdf5Lock lock;
  const Hdf5Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, name);
  H5Tset_size(type.id(), H5T_VARIABLE);
  H5Tset_cset(type.id(), H5T_CSET_UTF8);
  const std::string visible = visible_text(value);
  const char* characters = visible.c_str();
  attribute(object, name, type.id(), scalar_space(name), &characters);
}

void Hdf5Writer::scaling(hid_t dataset, const FieldScaling& scaling) {
  number(dataset, "a_scaling", scaling.a);
  number(dataset, "h_scaling", scaling.h);
  number(dataset, "length_scaling", scaling.length);
  number(dataset, "mass_scaling", scaling.mass);
  number(dataset, "velocity_scaling", scaling.velocity);
  number(dataset, "to_cgs", scaling.to_cgs);
}

Hdf5Handle Hdf5Writer::dataset(const std::string& name, ScalarType scalar, std::uint64_t rows,
                               int components, bool compress) {
  Hdf5Lock lock;
  const hsize_t shape[2] = {rows, hsize_t(components)};
  const int rank = components > 1 ? 2 : 1;
  const Hdf5Handle space = checked(H5Screate_simple(rank, shape, nullptr), H5Sclose, name);
  const Hdf5Handle link = with_parents(name);
  const Hdf5Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  const Hdf5Handle access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, name);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  // The same contents are the same bytes, whenever they are written.
  H5Pset_obj_track_times(creation.id(), false);
  if (compress && rows > 0) {
    const hsize_t chunk[2] = {std::min<hsize_t>(rows, kChunkRows), shape[1]};
    H5Pset_chunk(creation.id(), rank, chunk);
    H5Pset_shuffle(creation.id());
    H5Pset_deflate(creation.id(), 4);
    H5Pset_chunk_cache(access.id(), 4099, kChunkCacheBytes, 1.0);
  }
  return checked(H5Dcreate2(file_.id(), name.c_str(), native_hdf5_type(scalar), space.id(),
                            link.id(), creation.id(), access.id()),
                 H5Dclose, name);
}

void Hdf5Writer::write_rows(hid_t dataset, const std::string& name, ScalarType memory,
                            std::uint64_t first, std::uint64_t rows, int components,
                            const void* data) {
  if (rows == 0) return;
  Hdf5Lock lock;
  const int rank = components > 1 ? 2 : 1;
  const hsize_t start[2] = {first, 0}, extent[2] = {rows, hsize_t(components)};
  const Hdf5Handle here = checked(H5Screate_simple(rank, extent, nullptr), H5Sclose, name);
  const Hdf5Handle there = checked(H5Dget_space(dataset), H5Sclose, name);
  if (H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start, nullptr, extent, nullptr) < 0 ||
      H5Dwrite(dataset, native_hdf5_type(memory), here.id(), there.id(), H5P_DEFAULT, data) < 0)
    failed(name);
}

Hdf5Handle Hdf5Writer::array(const std::string& name, hid_t type,
                             const std::vector<std::uint64_t>& shape) {
  Hdf5Lock lock;
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  const Hdf5Handle space =
      checked(H5Screate_simple(int(extent.size()), extent.data(), nullptr), H5Sclose, name);
  const Hdf5Handle link = with_parents(name);
  const Hdf5Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  // The same contents are the same bytes, whenever they are written.
  H5Pset_obj_track_times(creation.id(), false);
  return checked(
      H5Dcreate2(file_.id(), name.c_str(), type, space.id(), link.id(), creation.id(), H5P_DEFAULT),
      H5Dclose, name);
}

void Hdf5Writer::write_planes(hid_t dataset, const std::string& name, hid_t type,
                              std::uint64_t first, const std::vector<std::uint64_t>& shape,
                              const void* data) {
  Hdf5Lock lock;
  const std::vector<hsize_t> extent(shape.begin(), shape.end());
  std::vector<hsize_t> start(extent.size(), 0);
  start.front() = first;
  const Hdf5Handle here =
      checked(H5Screate_simple(int(extent.size()), extent.data(), nullptr), H5Sclose, name);
  const Hdf5Handle there = checked(H5Dget_space(dataset), H5Sclose, name);
  if (H5Sselect_hyperslab(there.id(), H5S_SELECT_SET, start.data(), nullptr, extent.data(),
                          nullptr) < 0 ||
      H5Dwrite(dataset, type, here.id(), there.id(), H5P_DEFAULT, data) < 0)
    failed(name);
}

void Hdf5Writer::link(const std::string& existing, const std::string& name) {
  Hdf5Lock lock;
  if (H5Lcreate_hard(file_.id(), existing.c_str(), file_.id(), name.c_str(), H5P_DEFAULT,
                     H5P_DEFAULT) < 0)
    failed(name);
}

void Hdf5Writer::finish() {
  {
    Hdf5Lock lock;
    if (H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) < 0) failed("the file");
    file_ = {};
  }
  output_.finish();
}

void Hdf5Writer::commit() {
  if (file_) finish();
  output_.commit();
}

}  // namespace haloscope::io
