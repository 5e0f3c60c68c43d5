#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// A line of a folder's list.
struct FolderRow {
  std::string name;  // of the file; of several what they have in common: "snapshot_*.hdf5"
  bool folder = false;
  std::uint64_t bytes = 0;           // of all of its files
  std::vector<std::string> members;  // of a series or a set, by their numbers; else empty
  bool series = false;               // each member is a snapshot by itself

  // The file that tells what it is.
  const std::string& first() const { return members.empty() ? name : members.front(); }
};

// What is in a folder: folders first, then files, by name, numbers in names by their size. Hidden
// files and smoothing lengths that haloscope keeps are left out. Throws Error where it cannot be
// read.
std::vector<FolderRow> list_folder(const std::string& folder);

// Files whose names differ by one number, at least two of them: places in `rows`. The extension's
// digits count only where it has no letters ("snapshot.001").
struct NumberedFiles {
  std::string name;  // with a * for the number
  std::vector<std::size_t> rows;
};
std::vector<NumberedFiles> find_numbered(const std::vector<FolderRow>& rows);

// "snapshot_003.hdf5" → "snapshot_*.hdf5"; empty: there is no number in it.
std::string numbered_name(std::string name);

// "a2" before "a10".
bool comes_before(const std::string& a, const std::string& b);

}  // namespace haloscope::app::viewer
