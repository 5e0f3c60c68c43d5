#pragma once

#include "io/loading/selection.h"
#include "io/snapshot_reader.h"

#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace haloscope::app {

// The group in the help of the options that choose particles.
inline constexpr const char* kWhichParticles = "Which particles";

// What the user says of a snapshot on the command line.
struct SnapshotOptions {
  bool allow_missing = false;
  int replicate = 1;                         // not kept in the sidecar file
  std::string raw;                           // a description of a table without a header
  std::map<std::string, std::string> words;  // unit-length → "kpc/h", …; see override_words.h

  // Pairs as a sidecar file keeps them.
  std::vector<std::pair<std::string, std::string>> entries() const;
};

// --unit-length, --hubble, …, --allow-missing, --raw. Values are checked at once.
void add_snapshot_options(CLI::App& command, SnapshotOptions& options);

// --region, --every, --max-particles.
void add_selection_options(CLI::App& command, io::Selection& selection);

// What these options and the snapshot's sidecar file come to; the options win. Throws Error for
// mistakes in the sidecar file, naming its line.
io::OpenOptions merge_sidecar(const std::string& snapshot, const SnapshotOptions& options);

// Words that a sidecar file may hold.
std::vector<std::string> sidecar_words();

}  // namespace haloscope::app
