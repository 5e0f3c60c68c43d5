#pragma once

#include "core/assumption.h"
#include "io/hdf5/hdf5_dataset.h"
#include "io/hdf5/hdf5_other_files.h"
#include "io/hdf5/hdf5_virtual.h"
#include "io/snapshots/hdf5_particle_header.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// The dataset of a type's positions in one file, as far as it can be judged without reading it.
struct PositionDataset {
  std::string name;  // in the group; empty: there is none
  DatasetLayout layout;
  bool room_for_values = false;     // its bytes in the file can hold what its shape promises
  std::optional<std::string> lack;  // what of its values is not there, in words
  MissingRows missing;              // of virtual ones
};

// What a file says when it is opened, so that large sets are opened once.
struct Hdf5ParticleFile {
  std::string path;
  Hdf5Dialect dialect = Hdf5Dialect::Unknown;
  GadgetHeader header;
  std::map<int, PositionDataset> positions;  // of the types that have particles in this file
  std::map<int, std::uint64_t> uncounted;    // rows of positions of types that the header forgets
  std::vector<OtherFile> shown;              // other files that hold positions of this one
  // Rows of the datasets of a type whose positions are there, where some are not: the header's
  // counts are of these then. Types that are not here have all their rows.
  std::map<int, std::vector<RowRange>> present;
  std::map<int, std::uint64_t> lost;  // rows that are not there

  // Rows that a type's datasets have.
  std::uint64_t stored(int type) const {
    const auto gone = lost.find(type);
    return header.count(type) + (gone == lost.end() ? 0 : gone->second);
  }
};

// The files of one snapshot, in numeric order.
struct Hdf5ParticleFiles {
  std::vector<Hdf5ParticleFile> files;
  std::string whole;  // the file that describes all: the first, or the virtual one over them
  std::vector<std::string> missing;  // paths of files that should be there
  std::vector<std::string> others;   // paths of files that these show parts of
  Hdf5Reach reach;
  bool allow_missing = false;
  Assumptions assumed;

  Hdf5Dialect dialect() const { return files.front().dialect; }
};

// "PartType0"
std::string particle_group(int type);

// Finds all files of the snapshot that `path` belongs to: a file that is the whole snapshot, any
// file of a set "base.N.ext" with N = 0 … NumFilesPerSnapshot-1, or a folder that holds one
// snapshot; a virtual file stands for the files that it links to. Throws NotThisFormat when there
// is no HDF5 snapshot with PartType groups, MissingFiles when files are missing (unless allowed:
// then rows that they hold are left out), OutsideFiles when parts of files outside the snapshot's
// folder are shown (unless allowed), BadFile when they are damaged or belong to another snapshot;
// Error when a folder holds several snapshots.
Hdf5ParticleFiles find_hdf5_particle_files(const std::string& path, const OpenOptions& options);

// All other files of which `path` shows parts, which are said. Throws as above, but for missing
// ones.
OtherFiles check_other_files(const std::string& path, const Hdf5Reach& reach, Assumptions& assumed);

// Says what is missing where that is allowed, else throws MissingFiles.
void leave_out_missing_files(const std::string& path, const OtherFiles& others, bool allowed,
                             Assumptions& assumed);

}  // namespace haloscope::io
