#pragma once

#include "app/session/session_actions.h"
#include "app/viewer/tasks/running_jobs.h"
#include "app/viewer/tasks/task.h"

#include <optional>
#include <utility>
#include <vector>

namespace haloscope::app::viewer {

// Who waits until a task is done.
struct AwaitedBy {
  bool command = false;  // the next command of a recording
  bool end = false;      // the command `wait`, and the end of a session
  bool series = false;   // the next snapshot of a series that plays
  bool shot = false;     // a picture of the window
};

// The background jobs of a session, in the order in which `cancel` looks for one to stop.
class TaskList {
 public:
  // `kind`: its name for the user, who has a bar of it and can stop it; none: it has neither.
  struct Entry {
    TaskBase* task = nullptr;
    AwaitedBy awaited;
    std::optional<session::JobKind> kind;
  };

  explicit TaskList(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  // Whether somebody must wait: `busy(&AwaitedBy::end)`.
  bool busy(bool AwaitedBy::*who) const;
  // Of those that have a bar.
  RunningJobs jobs() const;
  void cancel(session::JobKind kind);
  // The first of those that can be stopped.
  void cancel_first();
  void stop();

 private:
  std::vector<Entry> entries_;
};

}  // namespace haloscope::app::viewer
