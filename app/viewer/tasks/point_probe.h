#pragma once

#include "app/viewer/tasks/depth_job.h"
#include "app/viewer/tasks/task.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

// Finds the point that is seen at a place of the picture, on a thread of its own.
class PointProbe final : public TaskBase {
 public:
  // `wake` is called from the thread, `failed` by receive().
  PointProbe(std::function<void()> wake, std::function<void(const std::string&)> failed)
      : task_(std::move(wake), std::move(failed)) {}

  // Asks for a point, in place of the one that was asked for before.
  void look(std::shared_ptr<OpenScene> scene, DepthRequest request);
  // The point, once, where it is known; no point where no light is seen.
  std::optional<std::optional<Vec>> receive() { return task_.receive(); }

  bool busy() const override { return task_.busy(); }
  Worker::Status status() const override { return task_.status(); }
  void cancel() override { task_.cancel(); }
  void wait() override { task_.wait(); }

 private:
  Task<std::optional<Vec>> task_;
};

}  // namespace haloscope::app::viewer
