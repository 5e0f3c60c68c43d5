#pragma once

#include "analysis/selection/selection_count.h"
#include "app/viewer/tasks/worker.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

// Counts the selected particles in a thread of its own, and keeps the IDs that are followed. All
// calls are the user interface's thread's; none waits but stop().
class SelectionCounter {
 public:
  // `wake` is called from any thread when receive() shall be called.
  explicit SelectionCounter(std::function<void()> wake);

  // Counts it, unless that is what was asked for last; nothing: forgets what was counted, but not
  // its IDs, which a snapshot that is still being read will want. IDs of another selection go.
  void want(const std::optional<analysis::SelectionRequest>& request);
  // Nothing is selected: gives the memory of the IDs back too.
  void want_nothing();
  // The next want() counts, whatever it wants.
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

  bool busy() const { return worker_.busy() || came_.has_value(); }
  Worker::Status status() const { return worker_.status(); }
  void cancel() { worker_.cancel(); }
  void stop();

 private:
  void drop_ids();

  // Both without finding and IDs, which would stay in memory with them.
  std::optional<analysis::SelectionRequest> asked_;
  std::optional<analysis::SelectionRequest> known_;  // whose IDs ids_ are
  std::shared_ptr<const analysis::FollowedIds> ids_;
  Outcome shown_;
  std::uint64_t number_ = 0;  // of the last job
  Mailbox<std::pair<std::uint64_t, Outcome>> came_;
  Worker worker_;  // last: ends first
};

}  // namespace haloscope::app::viewer
