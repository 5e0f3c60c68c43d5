#pragma once

#include "io/snapshot_reader.h"

#include <map>
#include <string>
#include <vector>

namespace haloscope::analysis {

// What the user says of a snapshot on the command line.
struct SnapshotOptions {
  bool allow_missing = false;
  bool allow_outside = false;                // of the command line alone
  int replicate = 1;                         // not kept in the sidecar file
  std::string device = "auto";               // where fields are made that no file has; not kept
  std::string raw;                           // a description of a table without a header
  std::map<std::string, std::string> words;  // unit-length → "kpc/h", …; see override_words.h

  // Pairs as a sidecar file keeps them: without allow_outside, which somebody who sends a snapshot
  // with its sidecar could then say.
  std::vector<std::pair<std::string, std::string>> entries() const;
};

// What these options and the snapshot's sidecar file come to; the options win. Throws Error for
// mistakes in the sidecar file, naming its line.
io::OpenOptions merge_sidecar(const std::string& snapshot, const SnapshotOptions& options);

// Words that a sidecar file may hold.
std::vector<std::string> sidecar_words();

}  // namespace haloscope::analysis
