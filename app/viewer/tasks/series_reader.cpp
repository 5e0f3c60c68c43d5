#include "app/viewer/tasks/series_reader.h"

#include "analysis/snapshot/open_snapshot.h"
#include "analysis/snapshot/snapshot_interval.h"
#include "app/viewer/tasks/file_kind.h"

#include <exception>
#include <memory>

namespace haloscope::app::viewer {

namespace {

// Nothing where the snapshot cannot be read; opening it says why. Nothing for text either, which
// has no header: all of it would have to be read.
std::optional<SeriesMoment> moment_in(const std::string& path,
                                      const analysis::SnapshotOptions& said) {
  try {
    if (!said.raw.empty() || is_text_file(path)) return {};
    const auto reader = analysis::open_snapshot(path, said);
    const SnapshotInfo& info = reader->info();
    SeriesMoment moment{analysis::moment_of(info), moment_words(info)};
    // Without its types and fields: a series may have thousands of snapshots.
    moment.when.time = info.time;
    moment.when.cosmology = info.cosmology;
    moment.when.units = info.units;
    return moment;
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace

void SeriesReader::want(const std::vector<std::string>& snapshots,
                        const analysis::SnapshotOptions& said) {
  if (snapshots == wanted_) return;
  wanted_ = snapshots;
  moments_.clear();
  task_.submit("reading headers", [snapshots, said](const std::shared_ptr<Progress>& progress) {
    SeriesMoments moments;
    for (const std::string& path : snapshots) {
      progress->report("headers", double(moments.size()) / double(snapshots.size()));
      moments.push_back(moment_in(path, said));
    }
    return moments;
  });
}

void SeriesReader::take() {
  if (auto read = task_.receive()) moments_ = std::move(*read);
}

}  // namespace haloscope::app::viewer
