#include "app/open_snapshot.h"

#include "core/error.h"

namespace haloscope::app {

std::unique_ptr<io::SnapshotReader> open_snapshot(const std::string& path,
                                                  bool allow_missing_files) {
  io::OpenOptions options;
  options.allow_missing_files = allow_missing_files;
  try {
    return io::open_snapshot(path, options);
  } catch (const BadFile& error) {
    // io knows no command line; known weakness: its fault is told from others by its words.
    const std::string text = error.what();
    const bool about_missing_files = text.find("files are there)") != std::string::npos ||
                                     text.find("lacks the number") != std::string::npos;
    if (allow_missing_files || !about_missing_files) throw;
    throw BadFile(text + ", or go on without them: --allow-missing-files");
  }
}

}  // namespace haloscope::app
