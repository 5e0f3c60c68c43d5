#include "app/viewer/tasks/point_probe.h"

#include <utility>

namespace haloscope::app::viewer {

void PointProbe::look(std::shared_ptr<OpenScene> scene, DepthRequest request) {
  task_.submit("looking", [scene = std::move(scene), request = std::move(request)](
                              const std::shared_ptr<Progress>& progress) {
    return point_seen(*scene, request, *progress);
  });
}

}  // namespace haloscope::app::viewer
