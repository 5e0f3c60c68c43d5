#pragma once

#include "analysis/selection/set_members.h"
#include "app/viewer/tasks/task.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// Finds out who is in the sets on a thread of its own, and keeps the IDs that are followed. All
// calls are the user interface's thread's; none waits but wait() and stop().
class SetKeeper final : public TaskBase {
 public:
  // `wake` is called from any thread when receive() shall be called.
  explicit SetKeeper(std::function<void()> wake);

  // Sets whose members are wanted, unless they were asked for last. Nothing: no snapshot is there
  // yet; the IDs are kept.
  void want(const std::optional<analysis::SetsRequest>& request);
  // There is no set: gives all memory back.
  void want_nothing();
  // The next want() asks, also for what was asked for last.
  void forget() { asked_.reset(); }

  // Who is in them, or why that is not known. Both empty: it is not known yet, or was stopped.
  struct Outcome {
    std::shared_ptr<const analysis::SetMembers> members;
    std::string fault;
  };
  // What came in since the last call.
  std::optional<Outcome> receive();
  // The last that came of this snapshot; of other sets, while those that are wanted are looked for.
  const Outcome& shown() const { return shown_; }
  // Whether shown() is of what is wanted.
  bool is_known() const { return known_; }

  bool busy() const override { return task_.busy(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  std::optional<analysis::SetsRequest> asked_;  // without findings, which would stay in memory
  bool known_ = false;
  Outcome shown_;
  std::string fault_;                        // that receive() was told
  std::shared_ptr<analysis::KnownIds> ids_;  // the thread's, from one work to the next
  Task<std::shared_ptr<const analysis::SetMembers>> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
