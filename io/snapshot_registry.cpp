#include "core/error.h"
#include "io/gadget_hdf5.h"
#include "io/snapshot_reader.h"
#include "io/splotch_table.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

// "snapshot_003" for snapshot_003.hdf5 or snapshot_003.0.hdf5, the way other tools name snapshots.
std::string complete_path(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  for (const char* ending : {".hdf5", ".0.hdf5", ".h5", ".0.h5"})
    if (fs::exists(path + ending, ignored)) return path + ending;
  throw Error("there is no such file or folder", path, "check the path");
}

// What a file that no reader took is likely to be, so that the user need not guess.
std::string likely_format(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 16> head{};
  file.read(head.data(), std::streamsize(head.size()));
  if (file.gcount() == 0) return "the file is empty";
  if (file.gcount() >= 4) {
    std::int32_t word = 0;
    std::memcpy(&word, head.data(), 4);
    // The length of the first record: 256 (format 1) or 8 (format 2), in either byte order.
    if (word == 256 || word == 8 || word == 65536 || word == 134217728)
      return "this looks like a binary Gadget snapshot, which this version does not read yet";
    if (std::memcmp(head.data(), "HACC01", 6) == 0)
      return "this is a HACC GenericIO file, which this version does not read yet";
  }
  return "no reader knows this file's format";
}

}  // namespace

const std::vector<RegisteredReader>& registered_readers() {
  static const std::vector<RegisteredReader> readers{
      {"Splotch raw table", open_splotch_table},
      {"Gadget HDF5", open_gadget_hdf5},
  };
  return readers;
}

std::unique_ptr<SnapshotReader> open_snapshot(const std::string& path, const OpenOptions& options) {
  const std::string complete = complete_path(path);
  std::string reason;
  for (const auto& reader : registered_readers()) {
    try {
      return reader.open(complete, options);
    } catch (const NotThisFormat& refused) {
      // HDF5 readers say which dialect it is; that is worth more than "unknown".
      reason = refused.what();
    }
  }
  std::ifstream file(complete, std::ios::binary);
  char signature[8] = {};
  file.read(signature, 8);
  std::error_code ignored;
  const bool container =
      fs::is_directory(complete, ignored) || std::memcmp(signature, "\x89HDF\r\n\x1a\n", 8) == 0;
  if (container) throw Error(reason);
  throw Error(likely_format(complete), complete, "haloscope reads Gadget-style HDF5 snapshots");
}

}  // namespace haloscope::io
