#include "app/viewer/tasks/draw_job.h"

#include <algorithm>
#include <chrono>

namespace haloscope::app::viewer {

namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

void take_light(compute::splotch::Frame& frame, const Looks& looks, Drawn& drawn) {
  const render::MapLook& map = looks.map;
  const auto curve_for = [&looks](const compute::splotch::LightQuantiles& light) {
    return render::choose_tone_curve(render::exposed_with_sets(light, looks.sets));
  };
  if (map.shown) {
    drawn.has_light = render::has_light(frame.image);
    drawn.map_look = map;
    drawn.map = std::make_shared<const render::MapPicture>(render::map_picture(frame.image, map));
  } else if (frame.on_device) {
    drawn.has_light = frame.on_device->light().lit;
    drawn.curve = curve_for(frame.on_device->light());
    drawn.light.device = std::move(frame.on_device);
  } else {
    drawn.has_light = render::has_light(frame.image);
    drawn.curve = curve_for(render::light_quantiles(frame.image));
    drawn.light.host = std::move(frame.image);
  }
}

Coarseness coarseness_for(Pace pace, Coarsening& coarsening) {
  if (pace == Pace::full) return {};
  return coarsening.next(pace == Pace::moving ? Coarsening::kBudget : Coarsening::kBudgetRecolored);
}

Drawn draw_picture(OpenScene& scene, const DrawRequest& request, const Coarseness& coarseness,
                   bool on_device, Coarsening& coarsening, Progress& progress) {
  const auto begin = Clock::now();
  Drawn drawn;
  drawn.camera = request.camera;
  drawn.width = request.width;
  drawn.height = request.height;
  drawn.coarseness = coarseness;
  const auto view =
      session::to_view(request.camera, std::max(1, request.width / coarseness.divisor),
                       std::max(1, request.height / coarseness.divisor));
  auto frame = draw_sample(scene, request.looks, view, coarseness.sample, on_device, progress);
  drawn.coarseness.sample = frame.sample;
  drawn.counts = frame.counts;
  const auto drawing_ended = Clock::now();
  take_light(frame, request.looks, drawn);
  drawn.milliseconds = since(begin);
  const auto visible = double(frame.counts.particles - frame.counts.inactive);
  const double light_ms = since(drawing_ended);
  coarsening.learn(drawn.coarseness, cost_of(frame.timings, frame.counts, light_ms),
                   {visible * frame.sample, double(request.width) * double(request.height),
                    frame.motion_samples});
  drawn.phases = std::move(frame.timings);
  drawn.phases.add("light", light_ms);
  return drawn;
}

}  // namespace

void Drawer::set_scene(std::shared_ptr<OpenScene> scene) {
  // A picture of the old one may be under way; its job keeps the old scene until it is done.
  scene_ = std::move(scene);
  coarsening_ = std::make_shared<Coarsening>();
}

void Drawer::draw(DrawRequest request, Pace pace) {
  if (!scene_ || request.width < 1 || request.height < 1) return;
  const std::uint64_t serial = ++serial_;
  auto work = [scene = scene_, coarsening = coarsening_, request = std::move(request), serial, pace,
               on_device = keep_on_device_](const std::shared_ptr<Progress>& progress) {
    Drawn drawn = draw_picture(*scene, request, coarseness_for(pace, *coarsening), on_device,
                               *coarsening, *progress);
    drawn.serial = serial;
    drawn.pace = pace;
    return drawn;
  };
  task_.submit("drawing", std::move(work), pace == Pace::full);
}

}  // namespace haloscope::app::viewer
