#include "core/error.h"
#include "core/text_values.h"
#include "io/bytes/numbered_files.h"
#include "io/catalogs/catalog_reader.h"
#include "io/grids/grid_file.h"
#include "io/loading/replicate.h"
#include "io/map_file.h"
#include "io/snapshot_reader.h"
#include "io/snapshots/gadget_binary.h"
#include "io/snapshots/generic_io.h"
#include "io/snapshots/hdf5_particles.h"
#include "io/snapshots/raw_table.h"
#include "io/snapshots/splotch_table.h"
#include "io/snapshots/text_table.h"
#include "io/snapshots/tipsy.h"
#include "io/snapshots/unread_formats.h"
#include "io/splotch/parameter_file.h"
#include "io/tables/npy_file.h"

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace haloscope::io {

namespace {

namespace fs = std::filesystem;

// What a file that no reader took is likely to be, so that the user need not guess.
std::string likely_format(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 16> head{};
  file.read(head.data(), std::streamsize(head.size()));
  if (file.gcount() == 0) return "the file is empty";
  return "no reader knows this file's format";
}

void refuse_own_map(const std::string& path) {
  if (const auto map = own_map_in_words(path))
    throw Error("this is a map of haloscope's, not a snapshot: " + *map, path,
                "h5py shows it: h5py.File(...)['map']");
}

// What haloscope knows by other commands.
void refuse_others(const std::string& path) {
  if (is_splotch_parameter_file(path))
    throw Error("these are parameters of Splotch, not a snapshot", path,
                "'haloscope splotch' draws what they say");
  refuse_own_map(path);
  const bool image = lower_case(fs::path(path).extension().string()) == ".vti";
  if (image || is_npy(path))
    throw Error(image ? "this is an image of VTK, not a snapshot"
                      : "this is an array of NumPy, not a snapshot",
                path,
                image ? "'haloscope topology' reads it"
                      : "'haloscope topology' reads grids, 'haloscope clusters' tables of points");
}

}  // namespace

const std::vector<RegisteredReader>& registered_readers() {
  static const std::vector<RegisteredReader> readers{
      {"Splotch raw table", open_splotch_table},
      {"Raw table", open_raw_table},
      {"GenericIO", open_generic_io},
      {"Gadget HDF5", open_hdf5_particles},
      {"Gadget binary", open_gadget_binary},
      {"Tipsy", open_tipsy},
      {"Text table", open_text_table},
  };
  return readers;
}

std::unique_ptr<SnapshotReader> open_snapshot(const std::string& path, const OpenOptions& options) {
  const std::string complete = complete_path(path);
  // Before the readers: the one of text would take lists of halos for particles. A damaged HDF5
  // file is nobody's catalog here, and gets its sentence below.
  if (!options.raw && !options.raw_table)
    if (const auto kind = catalog_kind(complete))
      throw Error(
          (kind->front() == 'A' ? "this is an " : "this is a ") + *kind + ", not a snapshot",
          complete, "'haloscope catalog' shows it");
  if (!options.raw && !options.raw_table)
    if (const auto format = unread_format(complete))
      throw Error("this is " + *format + ", which haloscope does not read", complete,
                  "convert it to Gadget HDF5 with yt or pynbody");
  if (!options.raw && !options.raw_table) refuse_others(complete);
  std::string reason;
  for (const auto& reader : registered_readers()) {
    try {
      auto opened = reader.open(complete, options);
      opened->override_facts(options.overrides);
      opened->tell_zoom_types();
      return replicate(std::move(opened), options.replicate);
    } catch (const NotThisFormat& refused) {
      // HDF5 readers say which dialect it is; that is worth more than the others' "unknown".
      if (reason.empty() || std::string(reader.name).find("HDF5") != std::string::npos)
        reason = refused.what();
    }
  }
  std::ifstream file(complete, std::ios::binary);
  char signature[8] = {};
  file.read(signature, 8);
  std::error_code ignored;
  const bool container =
      fs::is_directory(complete, ignored) || std::memcmp(signature, "\x89HDF\r\n\x1a\n", 8) == 0;
  if (const auto grid = container ? hdf5_grid_in_words(complete) : std::nullopt)
    throw NotThisFormat(reason + "; it may hold " + *grid +
                        ", in which 'haloscope topology' finds peaks");
  if (container) throw NotThisFormat(reason);
  throw Error(likely_format(complete), complete,
              "haloscope reads HDF5, binary Gadget, Tipsy, GenericIO and text, and other tables by "
              "description (--raw); 'haloscope topology --raw-grid' reads a grid of raw values; "
              "'haloscope splotch' draws those of a Splotch parameter file");
}

}  // namespace haloscope::io
