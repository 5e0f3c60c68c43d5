#include "app/viewer/tasks/scene_job.h"

#include "analysis/snapshot/json_text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <utility>

namespace haloscope::app::viewer {

namespace splotch = compute::splotch;

namespace {

// By whoever holds the lock.
void on_all_devices(OpenScene& open, Progress& progress, const SceneCrew::Work& work) {
  if (open.crew) return open.crew->run(work);
  work(*open.scene, progress, true);
}

// Of the next picture.
void take_looks(render::SnapshotScene& scene, const Looks& looks, bool exact) {
  scene.appearances() = looks.appearances;
  scene.color_by(looks.colors);
  scene.set_slab(looks.slab);
  scene.set_map(looks.map);
  scene.show_sets(looks.sets);
  scene.set_deterministic(exact);
}

// Labels on a GPU that all devices read, or none does: a cut that follows would end them between
// two of them.
std::shared_ptr<const void> held_labels(const Looks& looks) {
  if (!looks.colors) return {};
  return looks.colors.finding->resident.labels.lock();
}

// What all devices hold, and what they are.
void describe_devices(OpenScene& open) {
  std::mutex mutex;
  SceneModel& model = open.model;
  model.device_bytes = 0;
  open.crew->run([&](render::SnapshotScene& scene, Progress&, bool) {
    const std::lock_guard lock(mutex);
    model.device_bytes += scene.statistics().device_peak_bytes;
  });
  model.device_name = fmt::format("{} x {}", open.crew->size(), model.device_name);
}

void load_on_one(OpenScene& open, const render::RenderRequest& request) {
  open.context = std::make_unique<analysis::RunContext>(
      analysis::RunContext{*open.progress, [](const auto&) {}, {}});
  open.scene = std::make_unique<render::SnapshotScene>(request, *open.context);
  open.scene->want_histograms();
  open.scene->load();
  open.scene->keep_lengths();
  open.model = model_of(*open.scene);
}

void load_on_several(OpenScene& open, render::RenderRequest request) {
  // Mesh cells are drawn from those of all.
  const bool wants_cells = std::exchange(request.map.cells, false);
  open.crew = std::make_unique<SceneCrew>(request, request.compute.devices, *open.progress);
  open.crew->run([&](render::SnapshotScene& scene, Progress&, bool first) {
    if (first) open.model = model_of(scene);
  });
  describe_devices(open);
  if (wants_cells)
    open.model.sentences.push_back(
        "The map shows kernels in place of cells: several GPUs draw it.");
}

}  // namespace

std::shared_ptr<OpenScene> open_scene(const render::RenderRequest& request,
                                      const std::shared_ptr<Progress>& progress) {
  const auto begin = std::chrono::steady_clock::now();
  auto open = std::make_shared<OpenScene>();
  open->progress = progress;
  if (request.compute.devices.size() > 1)
    load_on_several(*open, request);
  else
    load_on_one(*open, request);
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
  splotch::Frame frame;
  const auto held = held_labels(looks);
  const std::lock_guard lock(open.drawing);
  on_all_devices(open, progress, [&](render::SnapshotScene& scene, Progress& own, bool first) {
    take_looks(scene, looks, exact);
    splotch::Frame drawn = scene.draw(view, own);
    if (first) frame = std::move(drawn);
  });
  return frame;
}

DescribedFrame draw_described(OpenScene& open, const Looks& looks, const splotch::View& view,
                              Progress& progress) {
  DescribedFrame described;
  const auto held = held_labels(looks);
  const std::lock_guard lock(open.drawing);
  on_all_devices(open, progress, [&](render::SnapshotScene& scene, Progress& own, bool first) {
    take_looks(scene, looks, true);
    splotch::Frame drawn = scene.draw(view, own);
    if (!first) return;
    described.frame = std::move(drawn);
    described.scene = analysis::json_text(scene.describe(view), -1);
  });
  return described;
}

splotch::Frame draw_sample(OpenScene& open, const Looks& looks, const splotch::View& view,
                           int sample, bool on_device, Progress& progress) {
  splotch::Frame frame;
  const auto held = held_labels(looks);
  const std::lock_guard lock(open.drawing);
  on_all_devices(open, progress, [&](render::SnapshotScene& scene, Progress& own, bool first) {
    take_looks(scene, looks, false);
    splotch::Frame drawn = scene.draw(view, own, sample, on_device);
    if (first) frame = std::move(drawn);
  });
  return frame;
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
