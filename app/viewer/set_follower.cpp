#include "app/viewer/set_follower.h"

#include "render/scene/set_center.h"

namespace haloscope::app::viewer {

void SetFollower::want(const std::shared_ptr<const analysis::SetMembers>& members,
                       const std::string& name, const analysis::SnapshotOptions& said) {
  const auto set = members ? analysis::find_set(members->sets, name) : std::nullopt;
  if (!set) {
    if (name_.empty()) return;
    task_.cancel();
    asked_.reset();
    name_.clear();
    middle_.reset();
    return;
  }
  if (members == asked_.lock() && name == name_) return;
  asked_ = members;
  name_ = name;
  middle_.reset();
  task_.submit("finding the middle of a set",
               [members, set = *set, said](const std::shared_ptr<Progress>& progress) {
                 return render::center_of_set(*members, set, said, *progress);
               });
}

std::optional<Vec> SetFollower::receive() {
  const auto center = task_.receive();
  if (center) middle_ = *center;
  return center ? *center : std::nullopt;
}

}  // namespace haloscope::app::viewer
