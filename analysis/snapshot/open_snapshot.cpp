#include "analysis/snapshot/open_snapshot.h"

#include "analysis/made_fields/snapshot_with_fields.h"
#include "core/error.h"
#include "io/outside_files.h"

#include <utility>

namespace haloscope::analysis {

std::unique_ptr<io::SnapshotReader> open_snapshot(const std::string& path,
                                                  const SnapshotOptions& said) {
  const io::OpenOptions options = merge_sidecar(path, said);
  try {
    auto stored = io::open_snapshot(path, options);
    const int copies = options.replicate;
    return with_made_fields(std::move(stored), said.device, copies, said.raw);
  } catch (const MissingFiles& error) {
    // io knows no command line.
    if (options.allow_missing_files) throw;
    throw MissingFiles(std::string(error.what()) + ", or go on without them: --allow-missing");
  } catch (const io::OutsideFiles& error) {
    throw io::OutsideFiles(std::string(error.what()) + ", or read it where it is: --allow-outside");
  }
}

}  // namespace haloscope::analysis
