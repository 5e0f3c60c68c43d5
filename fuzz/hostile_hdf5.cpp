#include "fuzz/hostile_hdf5.h"

#include <hdf5.h>

#include <array>
#include <limits>
#include <vector>

namespace haloscope::fuzz {

std::uint8_t Choices::byte() {
  if (left_ == 0) return 0;
  --left_;
  return *data_++;
}

std::uint64_t Choices::word() {
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::uint64_t(byte()) << (8 * i);
  return value;
}

namespace {

// What readers look for, as object and as attribute.
constexpr std::array kObjects{"Header",
                              "Parameters",
                              "Units",
                              "Cosmology",
                              "Config",
                              "HydroScheme",
                              "HashTable",
                              "Cells",
                              "Cells/Meta-data",
                              "Cells/Centres",
                              "Cells/Counts",
                              "Cells/Counts/PartType1",
                              "Cells/OffsetsInFile",
                              "Cells/OffsetsInFile/PartType1",
                              "Cells/Offsets/PartType1",
                              "Cells/Files",
                              "Cells/Files/PartType1",
                              "Cells/MinPositions/PartType1",
                              "Cells/MaxPositions/PartType1",
                              "PartType0",
                              "PartType1",
                              "PartType4",
                              "PartType3",
                              "PartType0/Coordinates",
                              "PartType1/Coordinates",
                              "PartType4/Coordinates",
                              "PartType1/IntCoordinates",
                              "PartType0/Masses",
                              "PartType0/Density",
                              "PartType0/Volume",
                              "PartType0/SmoothingLength",
                              "PartType0/SmoothingLengths",
                              "PartType0/InternalEnergy",
                              "PartType0/ElectronAbundance",
                              "PartType0/Velocities",
                              "PartType1/Velocities",
                              "PartType1/Masses",
                              "PartType1/ParticleIDs",
                              "PartType4/GFM_StellarFormationTime",
                              "PartType0/Temperature",
                              "PartType0/ElementAbundance",
                              "PartType0/ElementAbundance/Iron",
                              "PartType0/ElementAbundance/Loop",
                              "PartType1/SubGroupNumber",
                              "Group",
                              "Subhalo",
                              "Group/GroupPos",
                              "Group/GroupMass",
                              "Group/GroupLen",
                              "Group/Group_R_Crit200",
                              "Group/GroupVel",
                              "Subhalo/SubhaloPos",
                              "Subhalo/SubhaloMass",
                              "Subhalo/SubhaloIDMostbound",
                              "Subhalo/SubhaloHalfmassRad",
                              "xyz",
                              "positions",
                              "Virtual",
                              "/"};
constexpr std::array kAttributes{
    "NumPart_ThisFile",
    "NumPart_Total",
    "NumPart_Total_HighWord",
    "NumFilesPerSnapshot",
    "NumFiles",
    "MassTable",
    "BoxSize",
    "Time",
    "Redshift",
    "Scale-factor",
    "ExpansionFactor",
    "HubbleParam",
    "Omega0",
    "OmegaLambda",
    "Code",
    "CutoutType",
    "Kernel function",
    "Virtual",
    "GIZMO_version",
    "VORONOI",
    "PERIODIC",
    "PeriodicBoundariesOn",
    "ComovingIntegrationOn",
    "h",
    "Cosmological run",
    "Unit length in cgs (U_L)",
    "Unit mass in cgs (U_M)",
    "Unit time in cgs (U_t)",
    "UnitLength_in_cm",
    "UnitMass_in_g",
    "UnitVelocity_in_cm_per_s",
    "to_cgs",
    "a_scaling",
    "h_scaling",
    "length_scaling",
    "mass_scaling",
    "velocity_scaling",
    "CGSConversionFactor",
    "aexp-scale-exponent",
    "h-scale-exponent",
    "a-scale exponent",
    "U_L exponent",
    "U_M exponent",
    "U_t exponent",
    "Conversion factor to CGS (not including cosmological corrections)",
    "Value stored as physical",
    "size",
    "Ngroups_ThisFile",
    "Ngroups_Total",
    "Nsubhalos_ThisFile",
    "Nsubhalos_Total",
    "Nsubgroups_ThisFile"};

// Numbers that break things; the last is taken from the input.
double some_number(Choices& choices) {
  using limits = std::numeric_limits<double>;
  static constexpr double numbers[] = {0,
                                       1,
                                       -1,
                                       2,
                                       3,
                                       4,
                                       6,
                                       1e-300,
                                       1e300,
                                       -1e300,
                                       1e38,
                                       1e-40,
                                       255,
                                       65536,
                                       2147483648.0,
                                       4294967295.0,
                                       4294967297.0,
                                       9.3e18,
                                       1.9e19,
                                       limits::quiet_NaN(),
                                       limits::infinity(),
                                       -limits::infinity()};
  const std::size_t choice = choices.below(std::size(numbers) + 1);
  return choice < std::size(numbers) ? numbers[choice] : double(std::int64_t(choices.word()));
}

hsize_t some_extent(Choices& choices, bool may_be_huge) {
  static constexpr hsize_t huge[] = {1ULL << 20, 1ULL << 31, (1ULL << 32) + 1, (1ULL << 32) + 4,
                                     1ULL << 40, 1ULL << 61, (1ULL << 62) + 1, ~0ULL >> 1};
  const std::uint8_t choice = choices.byte();
  if (choice >= 240 && may_be_huge) return huge[choice % 8];
  return choice % 8;
}

// An owned type; its size is at most a few hundred bytes.
hid_t some_type(Choices& choices) {
  switch (choices.below(20)) {
    case 0:
      return H5Tcopy(H5T_NATIVE_FLOAT);
    case 1:
      return H5Tcopy(H5T_NATIVE_DOUBLE);
    case 2:
      return H5Tcopy(H5T_NATIVE_INT32);
    case 3:
      return H5Tcopy(H5T_NATIVE_UINT32);
    case 4:
      return H5Tcopy(H5T_NATIVE_INT64);
    case 5:
      return H5Tcopy(H5T_NATIVE_UINT64);
    case 6:
      return H5Tcopy(H5T_NATIVE_INT8);
    case 7:
      return H5Tcopy(H5T_STD_U16BE);
    case 8:
      return H5Tcopy(H5T_IEEE_F64BE);
    case 9:
      return H5Tcopy(H5T_NATIVE_LDOUBLE);
    case 10: {  // half precision
      const hid_t type = H5Tcopy(H5T_IEEE_F32LE);
      H5Tset_fields(type, 15, 10, 5, 0, 10);
      H5Tset_size(type, 2);
      H5Tset_ebias(type, 15);
      return type;
    }
    case 11: {  // integers of any width
      const hid_t type = H5Tcopy(H5T_NATIVE_INT32);
      H5Tset_size(type, 1 + choices.below(40));
      return type;
    }
    case 12: {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, 1 + choices.below(30));
      return type;
    }
    case 13: {
      const hid_t type = H5Tcopy(H5T_C_S1);
      H5Tset_size(type, H5T_VARIABLE);
      return type;
    }
    case 14: {
      const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
      const std::int8_t one = 1;
      H5Tenum_insert(type, "TRUE", &one);
      return type;
    }
    case 15: {
      const hid_t type = H5Tcreate(H5T_COMPOUND, 16);
      H5Tinsert(type, "r", 0, H5T_NATIVE_DOUBLE);
      H5Tinsert(type, "i", 8, H5T_NATIVE_DOUBLE);
      return type;
    }
    case 16: {
      const hsize_t three = 3;
      return H5Tarray_create2(H5T_NATIVE_FLOAT, 1, &three);
    }
    case 17:
      return H5Tvlen_create(H5T_NATIVE_FLOAT);
    case 18:
      return H5Tcreate(H5T_OPAQUE, 1 + choices.below(16));
    default:
      return H5Tcopy(H5T_STD_REF_OBJ);
  }
}

hid_t some_space(Choices& choices, bool may_be_huge, hsize_t& count) {
  count = 1;
  const std::size_t kind = choices.below(10);
  if (kind == 8) return H5Screate(H5S_SCALAR);
  if (kind == 9) {
    count = 0;
    return H5Screate(H5S_NULL);
  }
  // Ones and twos are the likely ranks.
  static constexpr int ranks[] = {1, 1, 1, 2, 2, 2, 3, 4};
  const int rank = ranks[kind];
  std::array<hsize_t, 4> shape{}, most{};
  for (int i = 0; i < rank; ++i) {
    shape[std::size_t(i)] = some_extent(choices, may_be_huge);
    most[std::size_t(i)] = H5S_UNLIMITED;
    count = count > 0 && shape[std::size_t(i)] > (1ULL << 40) / count
                ? 1ULL << 40
                : count * shape[std::size_t(i)];
  }
  return H5Screate_simple(rank, shape.data(), choices.below(4) == 0 ? most.data() : nullptr);
}

// Values for `count` elements of a type: numbers where it is one, other bytes as they come.
std::vector<unsigned char> some_values(Choices& choices, hid_t type, hsize_t count) {
  const std::size_t size = H5Tget_size(type);
  std::vector<unsigned char> values(std::max<std::size_t>(8, size) * count + 64, 0);
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_INTEGER || kind == H5T_FLOAT) {
    auto* numbers = reinterpret_cast<double*>(values.data());
    for (hsize_t i = 0; i < count; ++i) numbers[i] = some_number(choices);
    H5Tconvert(H5T_NATIVE_DOUBLE, type, count, values.data(), nullptr, H5P_DEFAULT);
  } else if (kind == H5T_STRING || kind == H5T_OPAQUE || kind == H5T_ENUM) {
    for (std::size_t i = 0; i < std::min<std::size_t>(32, size * count); ++i)
      values[i] = choices.byte();
  }
  return values;
}

bool holds_pointers(hid_t type) {
  return H5Tis_variable_str(type) > 0 || H5Tdetect_class(type, H5T_VLEN) > 0;
}

constexpr hsize_t kMostWritten = 4096;

void put_attribute(hid_t file, Choices& choices) {
  const hid_t object = H5Oopen(file, kObjects[choices.below(kObjects.size())], H5P_DEFAULT);
  const char* name = kAttributes[choices.below(kAttributes.size())];
  if (object < 0) return;
  H5Adelete(object, name);
  hsize_t count = 0;
  const hid_t type = some_type(choices), space = some_space(choices, false, count);
  const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute >= 0 && count > 0 && count <= kMostWritten) {
    if (!holds_pointers(type)) {
      const auto values = some_values(choices, type, count);
      H5Awrite(attribute, type, values.data());
    } else if (H5Tis_variable_str(type) > 0) {
      const std::vector<const char*> texts(count, choices.below(2) ? "SWIFT" : "Cubic spline");
      H5Awrite(attribute, type, texts.data());
    }
  }
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
  H5Oclose(object);
}

// A virtual dataset of a part of some dataset here, or in another file, which may be missing.
void map_virtual(hid_t plist, hid_t space, Choices& choices) {
  static const char* const files[] = {".", "snapshot.0.hdf5", "snapshot.1.hdf5", "missing.hdf5",
                                      "",  "snapshot.%b.hdf5"};
  const char* file = files[choices.below(std::size(files))];
  H5Pset_virtual(plist, space, file, kObjects[choices.below(kObjects.size())], space);
}

void some_storage(hid_t plist, hid_t space, Choices& choices) {
  const int rank = H5Sget_simple_extent_ndims(space);
  switch (choices.below(6)) {
    case 0:
    case 1:
      break;
    case 2:
    case 3: {
      std::array<hsize_t, 4> chunk{};
      for (auto& size : chunk) size = 1 + choices.byte() % 8 * (choices.byte() > 250 ? 9999 : 1);
      if (rank > 0) H5Pset_chunk(plist, rank, chunk.data());
      const std::uint8_t filters = choices.byte();
      // These two first, and never both: behind another filter libhdf5 writes beyond its buffers.
      if (filters & 8)
        H5Pset_scaleoffset(plist, H5Z_SO_INT, 0);
      else if (filters & 16)
        H5Pset_nbit(plist);
      if (filters & 1) H5Pset_shuffle(plist);
      if (filters & 2) H5Pset_deflate(plist, 1);
      if (filters & 4) H5Pset_fletcher32(plist);
      break;
    }
    case 4:
      if (choices.below(2) == 0)
        H5Pset_layout(plist, H5D_COMPACT);
      else
        H5Pset_external(plist, choices.below(2) ? "snapshot.0.hdf5" : "missing.bin", 0,
                        H5F_UNLIMITED);
      break;
    default:
      map_virtual(plist, space, choices);
  }
}

void put_dataset(hid_t file, Choices& choices) {
  const char* name = kObjects[choices.below(kObjects.size())];
  H5Ldelete(file, name, H5P_DEFAULT);
  const hid_t type = some_type(choices);
  hsize_t count = 0;
  const hid_t space = some_space(choices, true, count);
  const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
  some_storage(plist, space, choices);
  const hid_t links = H5Pcreate(H5P_LINK_CREATE);
  H5Pset_create_intermediate_group(links, 1);
  // Huge extents get space only where the storage grows with what is written.
  H5Pset_alloc_time(plist, count > kMostWritten ? H5D_ALLOC_TIME_LATE : H5D_ALLOC_TIME_DEFAULT);
  const bool write = choices.below(4) > 0 && count <= kMostWritten && !holds_pointers(type) &&
                     H5Pget_layout(plist) != H5D_VIRTUAL && H5Pget_external_count(plist) <= 0;
  const hid_t dataset = H5Dcreate2(file, name, type, space, links, plist, H5P_DEFAULT);
  if (dataset >= 0 && write && count > 0) {
    const auto values = some_values(choices, type, count);
    H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  }
  H5Dclose(dataset);
  H5Pclose(links);
  H5Pclose(plist);
  H5Sclose(space);
  H5Tclose(type);
}

void put_link(hid_t file, Choices& choices) {
  const char* target = kObjects[choices.below(kObjects.size())];
  const char* name = kObjects[choices.below(kObjects.size())];
  const std::size_t kind = choices.below(4);
  if (name == target && kind == 0) return;
  H5Ldelete(file, name, H5P_DEFAULT);
  if (kind == 0)
    H5Lcreate_hard(file, target, file, name, H5P_DEFAULT, H5P_DEFAULT);
  else if (kind == 1)
    H5Lcreate_soft(target, file, name, H5P_DEFAULT, H5P_DEFAULT);
  else if (kind == 2)
    H5Lcreate_external("snapshot.0.hdf5", target, file, name, H5P_DEFAULT, H5P_DEFAULT);
  else
    H5Lcreate_external(choices.below(2) ? "snapshot.1.hdf5" : "missing.hdf5", target, file, name,
                       H5P_DEFAULT, H5P_DEFAULT);
}

void remove_or_resize(hid_t file, Choices& choices) {
  const char* name = kObjects[choices.below(kObjects.size())];
  const std::size_t kind = choices.below(4);
  if (kind < 2) {
    H5Ldelete(file, name, H5P_DEFAULT);
  } else if (kind == 2) {
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    H5Adelete(object, kAttributes[choices.below(kAttributes.size())]);
    H5Oclose(object);
  } else {
    H5Gclose(H5Gcreate2(file, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
}

}  // namespace

void write_hostile_hdf5(const std::string& path, Choices& choices) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  write_sample(path, choices.below(kSampleCount));
  const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  // Newer structures: other headers, dense attributes and links, other indices of chunks.
  if (choices.byte() % 2) H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, access);
  H5Pclose(access);
  for (int changes = 0; choices.any() && changes < 12; ++changes) {
    switch (choices.below(8)) {
      case 0:
      case 1:
      case 2:
        put_attribute(file, choices);
        break;
      case 3:
      case 4:
      case 5:
        put_dataset(file, choices);
        break;
      case 6:
        put_link(file, choices);
        break;
      default:
        remove_or_resize(file, choices);
    }
  }
  H5Fclose(file);
}

}  // namespace haloscope::fuzz
