#include "app/viewer/tasks/task_list.h"

#include <algorithm>

namespace haloscope::app::viewer {

bool TaskList::busy(bool AwaitedBy::*who) const {
  return std::any_of(entries_.begin(), entries_.end(), [who](const Entry& entry) {
    return entry.awaited.*who && entry.task->busy();
  });
}

RunningJobs TaskList::jobs() const {
  RunningJobs jobs;
  for (const Entry& entry : entries_)
    if (entry.kind) jobs[*entry.kind] = entry.task->status();
  return jobs;
}

void TaskList::cancel(session::JobKind kind) {
  for (const Entry& entry : entries_)
    if (entry.kind == kind) entry.task->cancel();
}

void TaskList::cancel_first() {
  for (const Entry& entry : entries_)
    if (entry.kind && entry.task->busy()) return entry.task->cancel();
}

void TaskList::stop() {
  for (const Entry& entry : entries_) entry.task->stop();
}

}  // namespace haloscope::app::viewer
