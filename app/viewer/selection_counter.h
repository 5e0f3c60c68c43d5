#pragma once

#include "analysis/selection/selection_count.h"
#include "app/viewer/tasks/task.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// Counts the selected particles on a thread of its own, and keeps the IDs that are followed. All
// calls are the user interface's thread's; none waits but wait() and stop().
class SelectionCounter final : public TaskBase {
 public:
  // `wake` is called from any thread when receive() shall be called.
  explicit SelectionCounter(std::function<void()> wake);

  // Counts the selection, unless it is the one that was asked for last. Nothing: forgets the count,
  // but not the IDs, which will be needed again when the snapshot that is being read is there. IDs
  // of another selection are given up.
  void want(const std::optional<analysis::SelectionRequest>& request);
  // Nothing is selected: gives the memory of the IDs back too.
  void want_nothing();
  // The next want() counts, also what was asked for last.
  void forget();
  // The count, or why there is none. Both empty: it is not known yet, or was stopped.
  struct Outcome {
    std::shared_ptr<const analysis::SelectionCount> count;
    std::string fault;
  };
  // What came in since the last call.
  std::optional<Outcome> receive();
  // Of what is wanted.
  const Outcome& shown() const { return shown_; }
  // IDs of a selection, if they were read already.
  std::shared_ptr<const analysis::FollowedIds> ids_of(
      const analysis::SelectionRequest& request) const;

  bool busy() const override { return task_.busy(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  void drop_ids();

  // Both without the finding and the IDs, which would stay in memory with them.
  std::optional<analysis::SelectionRequest> asked_;
  std::optional<analysis::SelectionRequest> known_;  // whose IDs ids_ are
  std::shared_ptr<const analysis::FollowedIds> ids_;
  Outcome shown_;
  std::string fault_;                                           // that receive() was told
  Task<std::shared_ptr<const analysis::SelectionCount>> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
