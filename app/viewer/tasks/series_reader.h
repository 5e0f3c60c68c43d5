#pragma once

#include "analysis/snapshot/snapshot_options.h"
#include "app/viewer/tasks/task.h"
#include "core/snapshot_info.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// When a snapshot is, as its header says.
struct SeriesMoment {
  double place = 0;        // the scale factor, else the time in code units
  std::string words;       // "z = 0.50"
  SnapshotInfo when = {};  // of it, what tells the time between two snapshots
};
using SeriesMoments = std::vector<std::optional<SeriesMoment>>;

// Reads the headers of a series on a thread of its own.
class SeriesReader final : public TaskBase {
 public:
  explicit SeriesReader(std::function<void()> wake) : task_(std::move(wake)) {}

  // Of these snapshots; call as often as you like.
  void want(const std::vector<std::string>& snapshots, const analysis::SnapshotOptions& said);
  // Takes over what was read.
  void take();
  // One for each snapshot that was wanted last, or none yet. A snapshot whose header does not tell
  // it has nothing.
  const SeriesMoments& moments() const { return moments_; }

  bool busy() const override { return task_.busy(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  std::vector<std::string> wanted_;
  SeriesMoments moments_;
  Task<SeriesMoments> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
