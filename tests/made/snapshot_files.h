#pragma once

#include <hdf5.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

// Writers of small HDF5 snapshots for the tests, with HDF5's own calls: nothing here shares code
// with the readers.
namespace snapshot_files {

// A folder of its own, removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "haloscope-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw std::runtime_error("cannot make a folder for the test");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// The project's shared test data, where this machine has them.
inline std::optional<std::string> shared_data(const std::string& name) {
  const std::filesystem::path path =
      std::filesystem::path(HALOSCOPE_SOURCE_DIR) / ".." / "shared" / "data" / name;
  if (std::filesystem::exists(path)) return path.string();
  return {};
}

template <class T>
hid_t hdf5_type();
template <>
inline hid_t hdf5_type<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t hdf5_type<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t hdf5_type<std::int32_t>() {
  return H5T_NATIVE_INT32;
}
template <>
inline hid_t hdf5_type<std::uint32_t>() {
  return H5T_NATIVE_UINT32;
}
template <>
inline hid_t hdf5_type<std::int64_t>() {
  return H5T_NATIVE_INT64;
}
template <>
inline hid_t hdf5_type<std::int8_t>() {
  return H5T_NATIVE_INT8;
}
template <>
inline hid_t hdf5_type<std::uint64_t>() {
  return H5T_NATIVE_UINT64;
}

// How a dataset is stored.
struct Storage {
  std::vector<hsize_t> chunk;  // empty: contiguous
  bool shuffle = false;
  bool checksum = false;
  int deflate = 0;
  hid_t file_type = H5I_INVALID_HID;  // default: as in memory
};

class FileWriter {
 public:
  explicit FileWriter(const std::string& path, hsize_t user_block = 0) {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(creation, user_block);
    file_ = H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    H5Pclose(creation);
    if (file_ < 0) throw std::runtime_error("cannot create " + path);
  }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter() { H5Fclose(file_); }

  FileWriter& group(const std::string& name) {
    H5Gclose(H5Gcreate2(file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    return *this;
  }

  // One value: a scalar; several, or `as_array`: an array.
  template <class T>
  FileWriter& attribute(const std::string& object, const std::string& name,
                        const std::vector<T>& values, bool as_array = true) {
    const hsize_t size = values.size();
    const hid_t space = as_array ? H5Screate_simple(1, &size, nullptr) : H5Screate(H5S_SCALAR);
    const hid_t owner = H5Oopen(file_, object.c_str(), H5P_DEFAULT);
    const hid_t attribute =
        H5Acreate2(owner, name.c_str(), hdf5_type<T>(), space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, hdf5_type<T>(), values.data());
    H5Aclose(attribute);
    H5Oclose(owner);
    H5Sclose(space);
    return *this;
  }
  FileWriter& number(const std::string& object, const std::string& name, double value) {
    return attribute<double>(object, name, {value}, false);
  }
  FileWriter& text(const std::string& object, const std::string& name, const std::string& value) {
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, value.size() + 1);
    const hid_t space = H5Screate(H5S_SCALAR);
    const hid_t owner = H5Oopen(file_, object.c_str(), H5P_DEFAULT);
    const hid_t attribute = H5Acreate2(owner, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, type, value.c_str());
    H5Aclose(attribute);
    H5Oclose(owner);
    H5Sclose(space);
    H5Tclose(type);
    return *this;
  }

  template <class T>
  FileWriter& dataset(const std::string& name, const std::vector<hsize_t>& shape,
                      const std::vector<T>& values, const Storage& storage = {}) {
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    if (!storage.chunk.empty())
      H5Pset_chunk(plist, int(storage.chunk.size()), storage.chunk.data());
    if (storage.shuffle) H5Pset_shuffle(plist);
    if (storage.deflate > 0) H5Pset_deflate(plist, unsigned(storage.deflate));
    if (storage.checksum) H5Pset_fletcher32(plist);
    const hid_t type = storage.file_type >= 0 ? storage.file_type : hdf5_type<T>();
    const hid_t space = H5Screate_simple(int(shape.size()), shape.data(), nullptr);
    const hid_t data =
        H5Dcreate2(file_, name.c_str(), type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    if (!values.empty())
      H5Dwrite(data, hdf5_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(data);
    H5Sclose(space);
    H5Pclose(plist);
    return *this;
  }

  FileWriter& soft_link(const std::string& target, const std::string& name) {
    H5Lcreate_soft(target.c_str(), file_, name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
    return *this;
  }

  // A dataset of float32 rows that shows those of `sources` (file name, rows) one after another.
  FileWriter& virtual_dataset(const std::string& name,
                              const std::vector<std::pair<std::string, hsize_t>>& sources) {
    hsize_t shape[2] = {0, 3};
    for (const auto& [file, rows] : sources) shape[0] += rows;
    const hid_t space = H5Screate_simple(2, shape, nullptr);
    const hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t start[2] = {0, 0};
    for (const auto& [file, rows] : sources) {
      const hsize_t count[2] = {rows, 3};
      const hid_t source = H5Screate_simple(2, count, nullptr);
      H5Sselect_hyperslab(space, H5S_SELECT_SET, start, nullptr, count, nullptr);
      H5Pset_virtual(plist, space, file.c_str(), name.c_str(), source);
      H5Sclose(source);
      start[0] += rows;
    }
    H5Sselect_all(space);
    H5Dclose(
        H5Dcreate2(file_, name.c_str(), H5T_NATIVE_FLOAT, space, H5P_DEFAULT, plist, H5P_DEFAULT));
    H5Pclose(plist);
    H5Sclose(space);
    return *this;
  }

  hid_t id() const { return file_; }

 private:
  hid_t file_;
};

// A Gadget-3 header for `counts` particles per type, in one file or more.
inline void write_header(FileWriter& file, const std::vector<std::uint32_t>& counts, double box,
                         std::vector<std::uint32_t> total = {}, int files = 1) {
  if (total.empty()) total = counts;
  file.group("Header");
  file.attribute("Header", "NumPart_ThisFile", counts);
  file.attribute("Header", "NumPart_Total", total);
  file.attribute("Header", "MassTable", std::vector<double>(counts.size(), 0.0));
  file.attribute<std::int32_t>("Header", "NumFilesPerSnapshot", {files}, false);
  file.number("Header", "BoxSize", box);
  file.number("Header", "Time", 0.5).number("Header", "Redshift", 1.0);
  file.number("Header", "HubbleParam", 0.7);
  file.number("Header", "Omega0", 0.3).number("Header", "OmegaLambda", 0.7);
}

// An attribute of variable-length text.
inline std::string read_text(const std::string& path, const std::string& object,
                             const std::string& name) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t attribute =
      H5Aopen_by_name(file, object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT);
  const hid_t type = H5Aget_type(attribute);
  char* text = nullptr;
  H5Aread(attribute, type, &text);
  const std::string value = text ? text : "";
  H5free_memory(text);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Fclose(file);
  return value;
}

// Distinct positions within [0, box), the same for the same arguments.
inline std::vector<float> some_positions(std::size_t count, double box, std::uint64_t seed = 1) {
  std::vector<float> positions(3 * count);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15ULL + 1;
  for (auto& x : positions) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    x = float(double(state >> 40) / double(1 << 24) * box);
  }
  return positions;
}

// One file with one gas type of the given positions.
inline void write_gas(const std::string& path, const std::vector<float>& positions, double box,
                      const Storage& storage = {}) {
  FileWriter file(path);
  write_header(file, {std::uint32_t(positions.size() / 3), 0, 0, 0, 0, 0}, box);
  file.group("PartType0");
  file.dataset("PartType0/Coordinates", {positions.size() / 3, 3}, positions, storage);
}

}  // namespace snapshot_files
