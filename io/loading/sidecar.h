#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace haloscope::io {

// What a user keeps beside a snapshot: "snapshot_003.hdf5.haloscope.toml" holds the same words as
// the command line's options, one `word = value` a line.
struct SidecarEntry {
  std::string word, text;
  std::string where;  // "FILE:LINE", for errors
};

// The sidecar's name for a snapshot as the user gave it: beside the file, one file of a set, or the
// set's folder, which may be "." too.
std::string sidecar_path(const std::string& snapshot);

// The sidecar that holds for a snapshot: its own, or of a file without one that of the folder that
// it is in, if that is there. The name is that of a file that need not exist.
struct SidecarChoice {
  std::string path;
  bool of_folder = false;
};
SidecarChoice choose_sidecar(const std::string& snapshot);

// Empty where there is no such file. Throws Error naming file and line for a line that is not
// `word = value`, for words that are not known (with the nearest that is), and for repeated ones.
std::vector<SidecarEntry> read_sidecar(const std::string& path,
                                       const std::vector<std::string>& known);

// Why the file there cannot be a sidecar that somebody wrote, in words; nothing for one that is,
// for an empty file, and where there is none.
std::optional<std::string> why_no_sidecar(const std::string& path,
                                          const std::vector<std::string>& known);

// Writes it whole or not at all, replacing a former one.
void write_sidecar(const std::string& path,
                   const std::vector<std::pair<std::string, std::string>>& entries);

}  // namespace haloscope::io
