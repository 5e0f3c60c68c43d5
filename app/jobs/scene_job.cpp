#include "app/jobs/scene_job.h"

#include "render/palette.h"
#include "render/tone_map.h"

#include <chrono>
#include <cmath>

namespace haloscope::app::jobs {

namespace splotch = compute::splotch;
using splotch::Transform;

namespace {

// Palettes hold display values; light is added up linearly (render/scene.h).
std::vector<std::array<float, 3>> linear_nodes(const std::string& name) {
  auto colors = render::find_palette(name).colors;
  for (auto& color : colors)
    for (float& component : color) component = render::srgb_to_linear(component);
  return colors;
}

// The same limits on another scale; where a logarithm has none, three decades below the upper one.
void rescale(splotch::Ranging& ranging, Transform scale) {
  const double low = in_field_units(ranging.transform, ranging.low);
  const double high = in_field_units(ranging.transform, ranging.high);
  if (scale == Transform::Log && !(high > 0)) return;
  ranging.transform = scale;
  ranging.high = float(transformed(scale, high));
  ranging.low =
      scale == Transform::Log && !(low > 0) ? ranging.high - 3 : float(transformed(scale, low));
}

void apply(const session::TypeState& type, splotch::Appearance& appearance) {
  appearance.brightness = type.shown ? float(appearance.brightness * type.brightness) : 0.f;
  appearance.radius_factor = float(appearance.radius_factor * type.smoothing);
  if (!type.color_map.empty()) appearance.palette = linear_nodes(type.color_map);
  if (type.scale && *type.scale != appearance.color.transform)
    rescale(appearance.color, *type.scale);
  if (!type.limits) return;
  const auto scale = appearance.color.transform;
  if (scale == Transform::Log && !((*type.limits)[0] > 0)) return;
  appearance.color.low = float(transformed(scale, (*type.limits)[0]));
  appearance.color.high = float(transformed(scale, (*type.limits)[1]));
}

}  // namespace

double transformed(Transform transform, double value) {
  if (transform == Transform::Log) return std::log10(value);
  return transform == Transform::Asinh ? std::asinh(value) : value;
}

double in_field_units(Transform transform, double limit) {
  if (transform == Transform::Log) return std::pow(10.0, limit);
  return transform == Transform::Asinh ? std::sinh(limit) : limit;
}

std::shared_ptr<OpenScene> open_scene(const RenderRequest& request,
                                      const std::shared_ptr<Progress>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  auto open = std::make_shared<OpenScene>();
  open->progress = progress;
  open->context = std::make_unique<RunContext>(RunContext{*progress, [](const auto&) {}, {}});
  open->scene = std::make_unique<SnapshotScene>(request, *open->context);
  SnapshotScene& scene = *open->scene;
  scene.load();
  scene.keep_lengths();
  SceneModel& model = open->model;
  model.path = request.snapshot;
  model.info = scene.info();
  model.types = scene.types();
  for (const int type : model.types) {
    model.names.push_back(model.info.types.at(type).name);
    model.counts.push_back(model.info.types.at(type).count);
  }
  model.bounds = scene.shown();
  model.looks = scene.looks();
  model.appearances = scene.appearances();
  model.sentences = scene.sentences();
  const Statistics& statistics = scene.statistics();
  model.device = statistics.device;
  model.host_bytes = statistics.host_peak_bytes;
  model.device_bytes = statistics.device_peak_bytes;
  model.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return open;
}

std::vector<splotch::Appearance> appearances_of(const SceneModel& model,
                                                const session::State& state) {
  auto appearances = model.appearances;
  for (std::size_t k = 0; k < appearances.size(); ++k)
    apply(state.type(model.types[k]), appearances[k]);
  return appearances;
}

}  // namespace haloscope::app::jobs
