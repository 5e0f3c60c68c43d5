#pragma once

#include <hdf5.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace haloscope::test {

// Everything in an HDF5 file, to be compared: groups, the bytes of datasets, and of attributes
// ("Group/GroupPos@unit"), whose texts stand as such. Throws nothing: what cannot be read is empty.
class Hdf5Contents {
 public:
  explicit Hdf5Contents(const std::string& path) {
    const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) return;
    H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, take_object, this);
    H5Fclose(file);
  }

  std::map<std::string, std::string> all;

 private:
  static herr_t take_object(hid_t file, const char* name, const H5L_info_t*, void* self) {
    auto& contents = *static_cast<Hdf5Contents*>(self);
    contents.name_ = name;
    const hid_t object = H5Oopen(file, name, H5P_DEFAULT);
    contents.all[name] = H5Iget_type(object) == H5I_DATASET ? data_of(object) : "group";
    hsize_t first = 0;
    H5Aiterate(object, H5_INDEX_NAME, H5_ITER_INC, &first, take_attribute, self);
    H5Oclose(object);
    return 0;
  }

  static std::string data_of(hid_t dataset) {
    const hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
    std::string bytes(std::size_t(H5Sget_simple_extent_npoints(space)) * H5Tget_size(type), '\0');
    if (!bytes.empty()) H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data());
    H5Sclose(space);
    H5Tclose(type);
    return bytes;
  }

  static herr_t take_attribute(hid_t object, const char* name, const H5A_info_t*, void* self) {
    auto& contents = *static_cast<Hdf5Contents*>(self);
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    const hid_t type = H5Aget_type(attribute);
    std::string& value = contents.all[contents.name_ + "@" + name];
    if (H5Tis_variable_str(type) > 0) {
      char* text = nullptr;
      if (H5Aread(attribute, type, &text) >= 0 && text) value = text;
      H5free_memory(text);
    } else {
      value.resize(std::size_t(H5Aget_storage_size(attribute)));
      H5Aread(attribute, type, value.data());
    }
    H5Tclose(type);
    H5Aclose(attribute);
    return 0;
  }

  std::string name_;
};

// Names of what two files do not share.
inline std::vector<std::string> differences(const std::string& one, const std::string& other) {
  const Hdf5Contents left(one), right(other);
  std::vector<std::string> names;
  for (const auto& [name, value] : left.all) {
    const auto found = right.all.find(name);
    if (found == right.all.end() || found->second != value) names.push_back(name);
  }
  for (const auto& [name, value] : right.all)
    if (!left.all.count(name)) names.push_back(name);
  return names;
}

}  // namespace haloscope::test
