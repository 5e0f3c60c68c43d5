#include "io/convert/gadget4_file.h"

#include "io/hdf5/hdf5_dataset.h"

#include <hdf5.h>

#include <algorithm>
#include <vector>

namespace haloscope::io {

namespace {

// Rows of one compressed chunk: some hundred kB a column.
constexpr hsize_t kChunkRows = 1 << 16;
// Compressed chunks that are half written wait here for the piece with their other half.
constexpr std::size_t kChunkCacheBytes = std::size_t(128) << 20;
constexpr int kFewestTypes = 6;

hid_t hdf5_type(double) {
  return H5T_NATIVE_DOUBLE;
}
hid_t hdf5_type(std::int32_t) {
  return H5T_NATIVE_INT32;
}
hid_t hdf5_type(std::uint64_t) {
  return H5T_NATIVE_UINT64;
}

}  // namespace

Gadget4File::Gadget4File(const std::string& path, std::uint64_t expected_bytes) : output_(path) {
  // A library that runs into a full disk can neither flush nor close its file.
  output_.require_space(expected_bytes);
  Hdf5Lock lock;
  const Hdf5Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "the file");
  H5Pset_libver_bounds(access.id(), H5F_LIBVER_EARLIEST, H5F_LIBVER_V18);
  file_ =
      checked(H5Fcreate(output_.temporary_path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()),
              H5Fclose, "the file");
}

void Gadget4File::failed(const std::string& what) {
  std::string reason = hdf5_last_error();
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  output_.fail("HDF5 could not write " + what + (reason.empty() ? "" : " (" + reason + ")"));
}

Hdf5Handle Gadget4File::checked(hid_t id, Hdf5Handle::Close close, const std::string& what) {
  if (id < 0) failed(what);
  return {id, close};
}

template <class T>
void Gadget4File::attribute(hid_t object, const std::string& name, const std::vector<T>& values,
                            bool array) {
  const hsize_t size = values.size();
  const Hdf5Handle space =
      checked(array ? H5Screate_simple(1, &size, nullptr) : H5Screate(H5S_SCALAR), H5Sclose, name);
  const Hdf5Handle made = checked(
      H5Acreate2(object, name.c_str(), hdf5_type(T{}), space.id(), H5P_DEFAULT, H5P_DEFAULT),
      H5Aclose, name);
  if (H5Awrite(made.id(), hdf5_type(T{}), values.data()) < 0) failed(name);
}

void Gadget4File::number(hid_t object, const std::string& name, double value) {
  attribute<double>(object, name, {value}, false);
}

void Gadget4File::whole(hid_t object, const std::string& name, std::int32_t value) {
  attribute<std::int32_t>(object, name, {value}, false);
}

Hdf5Handle Gadget4File::group(const std::string& name) {
  return checked(H5Gcreate2(file_.id(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                 H5Gclose, "the group " + name);
}

void Gadget4File::write_cosmology(hid_t object, const SnapshotInfo& info,
                                  const Gadget4Layout& layout) {
  number(object, "HubbleParam", layout.hubble_param);
  number(object, "Omega0", info.cosmology.omega_matter);
  number(object, "OmegaLambda", info.cosmology.omega_lambda);
  number(object, "UnitLength_in_cm", layout.units.length_cm);
  number(object, "UnitMass_in_g", layout.units.mass_g);
  number(object, "UnitVelocity_in_cm_per_s", layout.units.velocity_cm_per_s);
}

void Gadget4File::write_header(const SnapshotInfo& info, const Gadget4Layout& layout,
                               const std::map<int, std::uint64_t>& counts) {
  Hdf5Lock lock;
  int types = kFewestTypes;
  if (!counts.empty()) types = std::max(types, counts.rbegin()->first + 1);
  std::vector<std::uint64_t> per_type(std::size_t(types), 0);
  std::vector<double> masses(std::size_t(types), 0);
  for (const auto& [type, count] : counts) per_type[std::size_t(type)] = count;
  for (const auto& [type, mass] : layout.mass_table) masses[std::size_t(type)] = mass;
  const bool comoving = info.units.comoving;
  const double time = comoving ? info.cosmology.scale_factor : info.time;

  const Hdf5Handle header = group("Header");
  attribute(header.id(), "NumPart_ThisFile", per_type, true);
  attribute(header.id(), "NumPart_Total", per_type, true);
  attribute(header.id(), "MassTable", masses, true);
  number(header.id(), "Time", time);
  number(header.id(), "Redshift", info.cosmology.redshift.value_or(0));
  number(header.id(), "BoxSize", info.box_size);
  whole(header.id(), "NumFilesPerSnapshot", 1);
  if (layout.arepo) write_cosmology(header.id(), info, layout);

  const Hdf5Handle parameters = group("Parameters");
  write_cosmology(parameters.id(), info, layout);
  number(parameters.id(), "BoxSize", info.box_size);
  whole(parameters.id(), "ComovingIntegrationOn", comoving ? 1 : 0);
  whole(parameters.id(), "PeriodicBoundariesOn", info.periodic ? 1 : 0);

  const Hdf5Handle config = group("Config");
  whole(config.id(), "NTYPES", types);
  if (info.periodic) whole(config.id(), "PERIODIC", 1);
  if (layout.arepo) whole(config.id(), "VORONOI", 1);
  for (const auto& [type, count] : counts)
    if (count > 0) group("PartType" + std::to_string(type));
}

void Gadget4File::begin_field(int type, const OutputField& field, std::uint64_t rows,
                              bool compress) {
  Hdf5Lock lock;
  const std::string name = "PartType" + std::to_string(type) + "/" + field.name;
  const hsize_t shape[2] = {rows, hsize_t(field.components)};
  const int rank = field.components > 1 ? 2 : 1;
  const Hdf5Handle space = checked(H5Screate_simple(rank, shape, nullptr), H5Sclose, name);
  const Hdf5Handle link = checked(H5Pcreate(H5P_LINK_CREATE), H5Pclose, name);
  H5Pset_create_intermediate_group(link.id(), 1);
  const Hdf5Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, name);
  const Hdf5Handle access = checked(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose, name);
  H5Pset_fill_time(creation.id(), H5D_FILL_TIME_NEVER);
  if (compress) {
    const hsize_t chunk[2] = {std::min<hsize_t>(rows, kChunkRows), shape[1]};
    H5Pset_chunk(creation.id(), rank, chunk);
    H5Pset_shuffle(creation.id());
    H5Pset_deflate(creation.id(), 4);
    H5Pset_chunk_cache(access.id(), 4099, kChunkCacheBytes, 1.0);
  }
  dataset_ = {};
  dataset_ = checked(H5Dcreate2(file_.id(), name.c_str(), native_hdf5_type(field.scalar),
                                space.id(), link.id(), creation.id(), access.id()),
                     H5Dclose, name);
  if (!field.scaling) return;
  const FieldScaling& s = *field.scaling;
  number(dataset_.id(), "a_scaling", s.a);
  number(dataset_.id(), "h_scaling", s.h);
  number(dataset_.id(), "length_scaling", s.length);
  number(dataset_.id(), "mass_scaling", s.mass);
  number(dataset_.id(), "velocity_scaling", s.velocity);
  number(dataset_.id(), "to_cgs", s.to_cgs);
}

void Gadget4File::write_rows(const OutputField& field, std::uint64_t first, std::uint64_t rows,
                             const void* data) {
  if (rows == 0) return;
  Hdf5Lock lock;
  const int rank = field.components > 1 ? 2 : 1;
  const hsize_t start[2] = {first, 0}, count[2] = {rows, hsize_t(field.components)};
  const Hdf5Handle memory = checked(H5Screate_simple(rank, count, nullptr), H5Sclose, field.name);
  const Hdf5Handle space = checked(H5Dget_space(dataset_.id()), H5Sclose, field.name);
  if (H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, count, nullptr) < 0 ||
      H5Dwrite(dataset_.id(), native_hdf5_type(field.scalar), memory.id(), space.id(), H5P_DEFAULT,
               data) < 0)
    failed(field.name);
}

void Gadget4File::commit() {
  {
    Hdf5Lock lock;
    dataset_ = {};
    if (H5Fflush(file_.id(), H5F_SCOPE_GLOBAL) < 0) failed("the file");
    file_ = {};
  }
  output_.commit();
}

}  // namespace haloscope::io
