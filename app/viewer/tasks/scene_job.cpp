#include "app/viewer/tasks/scene_job.h"

#include "analysis/snapshot/json_text.h"

#include <nlohmann/json.hpp>

#include <chrono>

namespace haloscope::app::viewer {

namespace splotch = compute::splotch;

namespace {

// Of the next picture; by whoever holds the lock.
void take_looks(OpenScene& open, const Looks& looks, bool exact) {
  open.scene->appearances() = looks.appearances;
  open.scene->color_by(looks.colors);
  open.scene->set_slab(looks.slab);
  open.scene->set_map(looks.map);
  open.scene->show_sets(looks.sets);
  open.scene->set_deterministic(exact);
}

}  // namespace

std::shared_ptr<OpenScene> open_scene(const render::RenderRequest& request,
                                      const std::shared_ptr<Progress>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  auto open = std::make_shared<OpenScene>();
  open->progress = progress;
  open->context = std::make_unique<analysis::RunContext>(
      analysis::RunContext{*progress, [](const auto&) {}, {}});
  open->scene = std::make_unique<render::SnapshotScene>(request, *open->context);
  render::SnapshotScene& scene = *open->scene;
  scene.want_histograms();
  scene.load();
  scene.keep_lengths();
  open->model = model_of(scene);
  open->model.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return open;
}

SceneModel model_of(render::SnapshotScene& scene) {
  SceneModel model;
  model.path = scene.request().snapshot;
  model.info = scene.info();
  model.types = scene.types();
  for (const int type : model.types) {
    model.names.push_back(model.info.types.at(type).name);
    model.counts.push_back(model.info.types.at(type).count);
  }
  model.bounds = scene.shown();
  model.looks = scene.looks();
  model.appearances = scene.appearances();
  model.histograms = scene.histograms();
  model.sentences = scene.sentences();
  model.points = scene.resident_points();
  const analysis::Statistics& statistics = scene.statistics();
  model.device = scene.device();
  model.device_name = statistics.device;
  model.host_bytes = statistics.host_peak_bytes;
  model.device_bytes = statistics.device_peak_bytes;
  return model;
}

splotch::Frame draw_scene(OpenScene& open, const Looks& looks, const splotch::View& view,
                          bool exact, Progress& progress) {
  const std::lock_guard lock(open.drawing);
  take_looks(open, looks, exact);
  return open.scene->draw(view, progress);
}

DescribedFrame draw_described(OpenScene& open, const Looks& looks, const splotch::View& view,
                              Progress& progress) {
  const std::lock_guard lock(open.drawing);
  take_looks(open, looks, true);
  DescribedFrame described{open.scene->draw(view, progress), {}};
  described.scene = analysis::json_text(open.scene->describe(view), -1);
  return described;
}

splotch::Frame draw_sample(OpenScene& open, const Looks& looks, const splotch::View& view,
                           int sample, bool on_device, Progress& progress) {
  const std::lock_guard lock(open.drawing);
  take_looks(open, looks, false);
  return open.scene->draw(view, progress, sample, on_device);
}

std::vector<splotch::Appearance> appearances_of(const SceneModel& model,
                                                const session::State& state) {
  auto appearances = model.appearances;
  for (std::size_t k = 0; k < appearances.size(); ++k)
    render::apply_choice(state.type(model.types[k]), appearances[k], model.looks[k].shown);
  return appearances;
}

Looks looks_of(const SceneModel& model, const session::State& state,
               const analysis::ParticleColors& colors, const render::ShownSets& sets) {
  // A map has no colors of particles.
  if (state.map.shown) return {appearances_of(model, state), {}, state.slab, {}, state.map};
  return {appearances_of(model, state), colors, state.slab, sets, {}};
}

}  // namespace haloscope::app::viewer
