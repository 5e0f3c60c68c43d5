#pragma once

#include <string>
#include <vector>

namespace haloscope::app::viewer {

// The entry of the list of recent files for a snapshot: its whole path, or, where the names of its
// series differ by one number alone, that of all of them: "/data/snapshot_*.hdf5".
std::string recent_entry(const std::string& snapshot, const std::vector<std::string>& series);

// What an entry opens: the file, or those of the series that are there, by their numbers. Empty:
// nothing is left of it.
std::vector<std::string> files_of_recent(const std::string& entry);

}  // namespace haloscope::app::viewer
