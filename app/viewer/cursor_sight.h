#pragma once

#include "app/session/camera_motion.h"
#include "app/viewer/tasks/point_probe.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

namespace haloscope::app::viewer {

// The point that is seen under the cursor. It is looked for once per place, on a thread of its own,
// and belongs to the picture it was seen in: with another camera it is another point.
class CursorSight final : public TaskBase {
 public:
  // `wake` is called from the thread.
  explicit CursorSight(std::function<void()> wake)
      : probe_(std::move(wake), [](const std::string&) {}) {}

  // The number of the picture that is on screen; none: another is to come. What was seen in a
  // former one is forgotten, and what is looked for in it is given up.
  void show(std::optional<std::uint64_t> picture);
  bool has_picture() const { return picture_.has_value(); }
  // Nothing: it is not known yet, or no light is there. `look` asks the probe where nobody has
  // asked before.
  std::optional<Vec> point(session::PicturePoint at, const std::function<void(PointProbe&)>& look);
  // Takes what was found since the last call.
  void receive();

  bool busy() const override { return probe_.busy(); }
  Worker::Status status() const override { return probe_.status(); }
  void cancel() override;
  void wait() override { probe_.wait(); }

 private:
  struct Seen {
    session::PicturePoint at;
    bool known = false;
    std::optional<Vec> point;
  };
  std::optional<std::uint64_t> picture_;
  std::optional<Seen> seen_;
  PointProbe probe_;  // last: ends first
};

}  // namespace haloscope::app::viewer
