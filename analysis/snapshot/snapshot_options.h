#pragma once

#include "io/snapshot_reader.h"

#include <map>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What the user says of a snapshot on the command line.
struct SnapshotOptions {
  bool allow_missing = false;
  int replicate = 1;                         // not kept in the sidecar file
  std::string raw;                           // a description of a table without a header
  std::map<std::string, std::string> words;  // unit-length → "kpc/h", …; see override_words.h

  // Pairs as a sidecar file keeps them.
  std::vector<std::pair<std::string, std::string>> entries() const;
};

// What these options and the snapshot's sidecar file come to; the options win. Throws Error for
// mistakes in the sidecar file, naming its line.
io::OpenOptions merge_sidecar(const std::string& snapshot, const SnapshotOptions& options);

// Words that a sidecar file may hold.
std::vector<std::string> sidecar_words();

}  // namespace haloscope::analysis
