#pragma once

#include "core/snapshot_info.h"

#include <string>

namespace haloscope::app::viewer {

// What a file is, by its content: as `haloscope info` tells it.
struct FileKind {
  enum class What { Snapshot, Catalog, State, Other };
  What what = What::Other;
  std::string words;      // "GADGET-4", "Rockstar halo catalog"; empty: nothing that is known
  std::string moment;     // of a snapshot: "z = 0.50"
  std::size_t files = 1;  // of a snapshot's set
};

// Reads headers, of text the whole where it is short; never throws.
FileKind kind_of_file(const std::string& path);

// Whether the file begins as text; false where it cannot be read.
bool is_text_file(const std::string& path);

// "z = 0.50", "time 3.25".
std::string moment_words(const SnapshotInfo& info);

}  // namespace haloscope::app::viewer
