#include "io/hdf5/hdf5_handle.h"

#include "core/error.h"
#include "core/input_file.h"
#include "io/hdf5/hdf5_other_files.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

namespace haloscope::io {

namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

// Where the superblock says that the file ends. The library refuses a shorter file in words that
// say nothing to an astronomer; with this number we can tell how much of the copy is missing.
std::optional<std::uint64_t> stored_end_of_file(const std::string& path) {
  std::array<unsigned char, 64> head{};
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(head.data()), std::streamsize(head.size()));
  if (file.gcount() < 48 || std::memcmp(head.data(), "\x89HDF\r\n\x1a\n", 8) != 0) return {};
  const int version = head[8];
  const int offset_bytes = version < 2 ? head[13] : head[9];
  if (offset_bytes != 8 || version > 3) return {};
  const std::size_t at = version == 0 ? 40 : version == 1 ? 44 : 28;
  std::uint64_t end = 0;
  for (std::size_t i = 8; i-- > 0;) end = end << 8 | head[at + i];
  return end;
}

}  // namespace

Hdf5Lock::Hdf5Lock() : lock_(hdf5_mutex()) {
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Hdf5Handle::~Hdf5Handle() {
  if (id_ < 0 || !close_) return;
  Hdf5Lock lock;
  close_(id_);
}

bool is_hdf5_file(const std::string& path) {
  // The library would wait for the other end of a pipe.
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return false;
  Hdf5Lock lock;
  return H5Fis_hdf5(path.c_str()) > 0;
}

Hdf5Handle open_hdf5_file(const std::string& path) {
  require_input(path);
  Hdf5Lock lock;
  if (!is_hdf5_file(path)) throw NotThisFormat("the file is not HDF5", path);
  const Hdf5Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
#if H5_VERSION_GE(1, 10, 7)
  H5Pset_file_locking(access.id(), false, true);
#endif
  Hdf5Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose);
  // The same file may be open in this process with other settings, which must then be equal.
  if (!file) file = Hdf5Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  if (!file) {
    const std::string reason = hdf5_last_error();
    std::error_code ignored;
    const std::uint64_t size = std::filesystem::file_size(path, ignored);
    const auto end = stored_end_of_file(path);
    if (!ignored && end && *end > size)
      throw BadFile("the file is truncated: " + std::to_string(size) + " of " +
                        std::to_string(*end) + " bytes are there",
                    path, "copy it again");
    throw BadFile("the HDF5 file is damaged" + (reason.empty() ? "" : " (" + reason + ")"), path,
                  "copy it again");
  }
  return file;
}

Hdf5Handle open_if_hdf5(const std::string& path) {
  const Hdf5Lock lock;
  if (!is_hdf5_file(path)) return {};
  try {
    return open_hdf5_file(path);
  } catch (const Error&) {
    return {};
  }
}

Hdf5Handle open_hdf5_group(hid_t parent, const std::string& name) {
  Hdf5Lock lock;
  if (!hdf5_exists(parent, name)) return {};
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), H5Gclose};
}

Hdf5Handle open_hdf5_dataset(hid_t parent, const std::string& name) {
  Hdf5Lock lock;
  if (!hdf5_exists(parent, name)) return {};
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), H5Dclose};
}

bool hdf5_exists(hid_t parent, const std::string& path) {
  Hdf5Lock lock;
  for (std::size_t slash = path.find('/', 1);; slash = path.find('/', slash + 1)) {
    const std::string part = path.substr(0, slash);
    if (H5Lexists(parent, part.c_str(), H5P_DEFAULT) <= 0 || !leads_to_plain_file(parent, part))
      return false;
    if (slash == std::string::npos) return H5Oexists_by_name(parent, part.c_str(), H5P_DEFAULT) > 0;
  }
}

std::string hdf5_last_error() {
  Hdf5Lock lock;
  std::string innermost;
  auto keep_first = [](unsigned depth, const H5E_error2_t* error, void* out) -> herr_t {
    if (depth == 0 && error->desc) *static_cast<std::string*>(out) = error->desc;
    return 0;
  };
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &innermost);
  return innermost;
}

}  // namespace haloscope::io
