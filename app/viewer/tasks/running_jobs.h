#pragma once

#include "app/session/session_actions.h"
#include "app/viewer/tasks/worker.h"

#include <map>

namespace haloscope::app::viewer {

// How far each job is that the user can stop; they may run at the same time.
class RunningJobs {
 public:
  Worker::Status& operator[](session::JobKind kind) { return jobs_[kind]; }
  const Worker::Status& operator[](session::JobKind kind) const {
    static const Worker::Status none;
    const auto known = jobs_.find(kind);
    return known == jobs_.end() ? none : known->second;
  }
  bool any() const {
    for (const auto& [kind, job] : jobs_)
      if (job.busy) return true;
    return false;
  }

 private:
  std::map<session::JobKind, Worker::Status> jobs_;
};

}  // namespace haloscope::app::viewer
