#include "app/jobs/draw_job.h"

#include <algorithm>
#include <chrono>

namespace haloscope::app::jobs {

namespace {

// A picture of a moving camera that takes longer is followed by a coarser one; one that takes less
// than half of the shortest is followed by a finer one.
constexpr double kLongest = 40, kShortest = 8;  // ms
constexpr int kCoarsest = 8;

}  // namespace

void Drawer::set_scene(std::shared_ptr<OpenScene> scene) {
  // The old one's thread may be inside it; its job holds it until then.
  scene_ = std::move(scene);
}

void Drawer::learn(const Drawn& drawn) {
  int divisor = moving_divisor_;
  if (drawn.divisor != divisor) return;
  if (drawn.milliseconds > kLongest) divisor = std::min(2 * divisor, kCoarsest);
  if (drawn.milliseconds < kShortest) divisor = std::max(divisor / 2, 1);
  moving_divisor_ = divisor;
}

void Drawer::draw(DrawRequest request, bool moving,
                  std::function<void(const std::string&)> failed) {
  if (!scene_ || request.width < 1 || request.height < 1) return;
  const std::uint64_t serial = ++serial_;
  const int divisor = moving ? moving_divisor_.load() : 1;
  auto work = [this, scene = scene_, request = std::move(request), serial, divisor,
               moving](const std::shared_ptr<Progress>& progress) {
    const auto begin = std::chrono::steady_clock::now();
    Drawn drawn;
    drawn.camera = request.camera;
    drawn.width = request.width;
    drawn.height = request.height;
    drawn.divisor = divisor;
    drawn.serial = serial;
    const auto frame =
        draw_scene(*scene, request.appearances,
                   session::to_view(request.camera, std::max(1, request.width / divisor),
                                    std::max(1, request.height / divisor)),
                   false, *progress);
    drawn.light = frame.image;
    drawn.counts = frame.counts;
    drawn.curve = render::choose_tone_curve(drawn.light);
    drawn.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    if (moving) learn(drawn);
    finished_.put(std::move(drawn));
  };
  worker_.submit({"drawing", std::move(work), std::move(failed), !moving});
}

}  // namespace haloscope::app::jobs
