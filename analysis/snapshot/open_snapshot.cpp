#include "analysis/snapshot/open_snapshot.h"

#include "core/error.h"

namespace haloscope::analysis {

std::unique_ptr<io::SnapshotReader> open_snapshot(const std::string& path,
                                                  const SnapshotOptions& said) {
  const io::OpenOptions options = merge_sidecar(path, said);
  try {
    return io::open_snapshot(path, options);
  } catch (const MissingFiles& error) {
    // io knows no command line.
    if (options.allow_missing_files) throw;
    throw MissingFiles(std::string(error.what()) + ", or go on without them: --allow-missing");
  }
}

}  // namespace haloscope::analysis
