#pragma once

#include "analysis/selection/set_members.h"
#include "app/viewer/tasks/task.h"
#include "core/vector.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace haloscope::app::viewer {

// Finds the middle of a set, for the camera to follow, on a thread of its own. All calls are the
// user interface's thread's; none waits but wait() and stop().
class SetFollower final : public TaskBase {
 public:
  // `wake` is called from any thread when receive() shall be called, `failed` by receive().
  SetFollower(std::function<void()> wake, std::function<void(const std::string&)> failed)
      : task_(std::move(wake), std::move(failed)) {}

  // The middle of a set by its name, once for the same members. Null, or no name: of none.
  void want(const std::shared_ptr<const analysis::SetMembers>& members, const std::string& name,
            const analysis::SnapshotOptions& said);
  // The middle that has come since the last call.
  std::optional<Vec> receive();
  // That of the set that was asked for last; nothing: it is not known yet, or there is none.
  const std::optional<Vec>& middle() const { return middle_; }

  bool busy() const override { return task_.busy(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  std::weak_ptr<const analysis::SetMembers> asked_;
  std::string name_;
  std::optional<Vec> middle_;
  Task<std::optional<Vec>> task_;  // last: ends first
};

}  // namespace haloscope::app::viewer
