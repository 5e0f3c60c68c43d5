#pragma once

#include "core/assumption.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::io {

// A header that counts more files of a set than this is damaged.
inline constexpr std::uint64_t kMostFiles = 100000;

// The name of one file of a set: "snap_2332.7.hdf5" is "snap_2332.", 7, ".hdf5". Of several dotted
// parts made of digits the last one counts.
struct NumberedName {
  std::string before;
  std::uint64_t number = 0;
  std::size_t digits = 1;  // as written, with leading zeros
  std::string after;

  // The name of file `n`, plain or with zeros in front up to `digits`.
  std::string with(std::uint64_t n) const;
  std::string padded(std::uint64_t n) const;
};

// Nothing where the name has no such number.
std::optional<NumberedName> split_number(const std::string& name);

// "snap.N.hdf5": what the user may know all files of the set by; other names are their own.
std::string set_name(const std::string& name);

// Paths of the files 0 … count-1 of the set that `path` belongs to, in numeric order, whether they
// exist or not; empty when the name has no number below `count`. Numbers may have leading zeros.
std::vector<std::string> member_paths(const std::string& path, std::uint64_t count);

// The words in which a set is spoken of.
struct SetWords {
  const char* whole;   // "snapshot"
  const char* naming;  // "base.0.hdf5, base.1.hdf5, …": how its files should be called
};

// The files of a set that are there, in numeric order, and the paths of those that are not.
struct SetMembers {
  std::vector<std::string> there, missing;
  Assumptions assumed;
};

// Finds the `count` files of the set that `path` belongs to. Throws MissingFiles when some are not
// there, or the name does not lead to the others, unless that is allowed: then it is said.
SetMembers find_members(const std::string& path, std::uint64_t count, const SetWords& words,
                        bool allow_missing_files);

// The path of a file or folder that the user named with or without its ending: "snapshot_003" for
// snapshot_003.hdf5 or snapshot_003.0.hdf5, the way other tools name snapshots, and
// "snapshot_003.hdf5" for the latter. Throws Error where
// there is none.
std::string complete_path(const std::string& path);

// Paths of the regular files in a folder, sorted by name. Throws Error when it cannot be read.
std::vector<std::string> files_in(const std::string& folder);

// "a.0, a.1, a.2 and 4 more", without folders.
std::string list_some(const std::vector<std::string>& paths, std::size_t most = 3);

// The only one of the outputs found in a folder, each under the name that the user knows it by;
// `kind` is what they are: "snapshot", "halo catalog". Throws Error naming them when there are
// several, NotThisFormat saying `none` when there are none.
std::string only_output(const std::string& folder,
                        const std::map<std::string, std::string>& path_by_name,
                        const std::string& kind, const std::string& none);

}  // namespace haloscope::io
