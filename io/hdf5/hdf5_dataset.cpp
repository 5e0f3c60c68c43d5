#include "io/hdf5/hdf5_dataset.h"

#include "io/bytes/saturating.h"
#include "io/hdf5/hdf5_handle.h"
#include "io/hdf5/hdf5_virtual.h"

#include <algorithm>

namespace haloscope::io {

namespace {

struct Listing {
  H5O_type_t wanted;
  std::vector<std::string> names;
};

herr_t collect(hid_t group, const char* name, const H5L_info_t*, void* out) {
  auto& listing = *static_cast<Listing*>(out);
  if (H5Oexists_by_name(group, name, H5P_DEFAULT) <= 0) return 0;
  const Hdf5Handle object(H5Oopen(group, name, H5P_DEFAULT), H5Oclose);
  if (!object) return 0;
  const H5I_type_t kind = H5Iget_type(object.id());
  const H5I_type_t wanted = listing.wanted == H5O_TYPE_GROUP ? H5I_GROUP : H5I_DATASET;
  if (kind == wanted) listing.names.emplace_back(name);
  return 0;
}

std::vector<std::string> list(hid_t group, H5O_type_t wanted) {
  Hdf5Lock lock;
  Listing listing{wanted, {}};
  hsize_t position = 0;
  H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &position, collect, &listing);
  std::sort(listing.names.begin(), listing.names.end());
  return listing.names;
}

// Small and half-precision types are widened to the nearest type that the program knows.
std::optional<ScalarType> scalar_type(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    // Truth values are enumerations of 0 and 1 to h5py.
    case H5T_ENUM:
      if (bytes > 8) return {};
      return bytes <= 4 ? ScalarType::Int32 : ScalarType::Int64;
    case H5T_FLOAT:
      return bytes <= 4 ? ScalarType::Float32 : ScalarType::Float64;
    case H5T_INTEGER: {
      if (bytes > 8) return {};
      const bool is_signed = H5Tget_sign(type) != H5T_SGN_NONE;
      if (bytes <= 4) return is_signed ? ScalarType::Int32 : ScalarType::UInt32;
      return is_signed ? ScalarType::Int64 : ScalarType::UInt64;
    }
    default:
      return {};
  }
}

void describe_storage(hid_t dataset, DatasetLayout& layout) {
  const Hdf5Handle plist(H5Dget_create_plist(dataset), H5Pclose);
  switch (H5Pget_layout(plist.id())) {
    case H5D_CONTIGUOUS: {
      const haddr_t offset = H5Dget_offset(dataset);
      if (offset == HADDR_UNDEF || H5Pget_external_count(plist.id()) > 0) return;
      layout.storage = DatasetLayout::Storage::Contiguous;
      layout.offset = offset;
      return;
    }
    case H5D_CHUNKED: {
      std::vector<hsize_t> chunk(layout.shape.size());
      if (H5Pget_chunk(plist.id(), int(chunk.size()), chunk.data()) < 0) return;
      if (std::count(chunk.begin(), chunk.end(), hsize_t(0)) > 0) return;
      layout.chunk.assign(chunk.begin(), chunk.end());
      for (int i = 0; i < H5Pget_nfilters(plist.id()); ++i) {
        unsigned flags = 0;
        unsigned values[8] = {};
        std::size_t count = 8;
        const H5Z_filter_t filter =
            H5Pget_filter2(plist.id(), unsigned(i), &flags, &count, values, 0, nullptr, nullptr);
        layout.filters.push_back(filter);
        layout.filter_element.push_back(filter == H5Z_FILTER_SHUFFLE && count > 0 ? values[0] : 0);
      }
      layout.storage = DatasetLayout::Storage::Chunked;
      return;
    }
    default:
      return;
  }
}

}  // namespace

std::uint64_t DatasetLayout::values() const {
  std::uint64_t values = 1;
  for (const std::uint64_t size : shape) values = saturating_product(values, size);
  return values;
}

std::uint64_t DatasetLayout::chunks() const {
  std::uint64_t chunks = 1;
  for (std::size_t i = 0; i < chunk.size(); ++i)
    chunks = saturating_product(chunks, shape[i] / chunk[i] + (shape[i] % chunk[i] != 0));
  return chunks;
}

DatasetLayout dataset_layout(hid_t dataset) {
  Hdf5Lock lock;
  DatasetLayout layout;
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  const Hdf5Handle space(H5Dget_space(dataset), H5Sclose);
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank > 0) {
    std::vector<hsize_t> dims(static_cast<std::size_t>(rank));
    H5Sget_simple_extent_dims(space.id(), dims.data(), nullptr);
    layout.shape.assign(dims.begin(), dims.end());
  }
  const auto scalar = scalar_type(type.id());
  layout.long_integers = H5Tget_class(type.id()) == H5T_INTEGER && H5Tget_size(type.id()) > 8;
  if (!scalar) return layout;
  layout.numeric = true;
  layout.scalar = *scalar;
  layout.native = H5Tequal(type.id(), native_hdf5_type(*scalar)) > 0;
  if (rank > 0) describe_storage(dataset, layout);
  return layout;
}

std::string file_of(hid_t dataset, std::uint64_t& user_block) {
  Hdf5Lock lock;
  const ssize_t length = H5Fget_name(dataset, nullptr, 0);
  std::string name(length > 0 ? std::size_t(length) + 1 : 1, '\0');
  if (length > 0) H5Fget_name(dataset, name.data(), name.size());
  name.pop_back();
  const Hdf5Handle file(H5Iget_file_id(dataset), H5Fclose);
  const Hdf5Handle creation(H5Fget_create_plist(file.id()), H5Pclose);
  hsize_t block = 0;
  H5Pget_userblock(creation.id(), &block);
  user_block = block;
  return name;
}

bool storage_can_hold_values(hid_t dataset, const DatasetLayout& layout) {
  if (layout.shape.empty()) return true;
  Hdf5Lock lock;
  if (const auto mapped = mapped_values(dataset)) return layout.values() <= *mapped;
  if (is_virtual(dataset)) return true;  // a mapping without end
  const auto stored = double(H5Dget_storage_size(dataset));
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose);
  double bytes = double(H5Tget_size(type.id()));
  for (const auto size : layout.shape) bytes *= double(size);
  // Deflate shrinks to 1/1032 at best; other compressors know no such limit, but each chunk takes
  // a byte.
  double most = 1;
  for (const H5Z_filter_t filter : layout.filters) {
    if (filter == H5Z_FILTER_DEFLATE)
      most *= 1033;
    else if (filter != H5Z_FILTER_SHUFFLE && filter != H5Z_FILTER_FLETCHER32)
      return double(layout.chunks()) <= stored;
  }
  return bytes <= most * stored;
}

std::vector<std::string> dataset_names(hid_t group) {
  return list(group, H5O_TYPE_DATASET);
}

namespace {

struct Nested {
  std::vector<std::string> names;
  int groups = 0;

  void collect(hid_t group, const std::string& prefix, int depth) {
    constexpr std::size_t kMostNames = 10000;
    constexpr int kMostGroups = 1000;
    for (const auto& name : dataset_names(group))
      if (names.size() < kMostNames) names.push_back(prefix + name);
    if (depth == 0) return;
    for (const auto& name : group_names(group)) {
      if (names.size() >= kMostNames || ++groups > kMostGroups) return;
      const Hdf5Handle inner = open_hdf5_group(group, name);
      if (inner) collect(inner.id(), prefix + name + "/", depth - 1);
    }
  }
};

}  // namespace

std::vector<std::string> nested_dataset_names(hid_t group) {
  constexpr int kDepth = 4;
  Hdf5Lock lock;
  Nested nested;
  nested.collect(group, "", kDepth);
  std::sort(nested.names.begin(), nested.names.end());
  return nested.names;
}

std::vector<std::string> group_names(hid_t group) {
  return list(group, H5O_TYPE_GROUP);
}

hid_t native_hdf5_type(ScalarType scalar) {
  switch (scalar) {
    case ScalarType::Float32:
      return H5T_NATIVE_FLOAT;
    case ScalarType::Float64:
      return H5T_NATIVE_DOUBLE;
    case ScalarType::Int32:
      return H5T_NATIVE_INT32;
    case ScalarType::UInt32:
      return H5T_NATIVE_UINT32;
    case ScalarType::Int64:
      return H5T_NATIVE_INT64;
    default:
      return H5T_NATIVE_UINT64;
  }
}

std::string shape_text(const std::vector<std::uint64_t>& shape) {
  if (shape.empty()) return "a single value";
  std::string text;
  for (const auto size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

}  // namespace haloscope::io
