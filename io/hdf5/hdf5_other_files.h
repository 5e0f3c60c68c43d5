#pragma once

#include "io/outside_files.h"

#include <hdf5.h>

#include <filesystem>
#include <string>
#include <vector>

namespace haloscope::io {

// An HDF5 file can show as its own what lies in others: by external links, by virtual datasets, and
// by raw bytes of any file ("external storage"). Who made the file chose their names, so that they
// may lead to anything that the user can read.

// The part of the file system that a file may show: the folder of the name that the user gave, that
// of the file which it links to, and their subfolders; or everything. Symbolic links count as what
// they lead to.
class Hdf5Reach {
 public:
  Hdf5Reach() = default;  // nothing
  // `named`: a file, or a folder.
  Hdf5Reach(const std::string& named, bool everywhere);
  bool everywhere() const { return everywhere_; }
  bool holds(const std::string& path) const { return everywhere_ || is_inside(path); }
  bool is_inside(const std::string& path) const;

 private:
  std::vector<std::filesystem::path> roots_;
  bool everywhere_ = false;
};

// Another file, and the first object that leads there: "PartType0/Coordinates".
struct OtherFile {
  std::string path, object;
};

struct OtherFiles {
  std::vector<OtherFile> found;    // each once
  std::vector<OtherFile> missing;  // they, or the objects in them, are not there
  std::vector<OtherFile> raw;      // datasets whose bytes are raw, with the file that holds them
};

// The path with its links followed, as far as it exists.
std::string real_path(const std::string& path);

// Where a file is to which `from` refers by `name`, as HDF5 looks for it: an absolute name as it
// is, else (by its last part, if it was absolute) in the folders of the environment variable,
// beside `from`, in the working directory, and beside the file that `from` links to. Where none of
// these is an HDF5 file: the first that is anything, else the place beside `from`.
std::string find_other_file(const std::string& from, const std::string& name,
                            const char* prefix_variable);

// False for an external link to what is not a plain file: HDF5 would wait for a pipe for ever.
// True for links of other kinds.
bool leads_to_plain_file(hid_t group, const std::string& link);

// Everything that a file shows of others, as far down as its groups are read, and by way of linked
// files. Of virtual datasets the sources are listed; what those show is for add_sources() to tell.
OtherFiles find_other_files(const std::string& path);

// Adds what one dataset of `path` shows, its sources' sources included. Throws BadFile where they
// go on too far.
void add_sources(hid_t dataset, const std::string& path, const std::string& object,
                 OtherFiles& files);

// Throws BadFile for raw bytes, OutsideFiles for files out of reach; `path` is the file that shows
// them.
void require_within(const Hdf5Reach& reach, const OtherFiles& files, const std::string& path);

// True where a dataset's bytes are those of a file that is not HDF5.
bool has_raw_storage(hid_t dataset);

}  // namespace haloscope::io
