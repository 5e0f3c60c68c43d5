#pragma once

#include "analysis/particle_colors.h"
#include "analysis/run_context.h"
#include "app/session/state.h"
#include "app/viewer/tasks/scene_crew.h"
#include "app/viewer/tasks/scene_model.h"
#include "render/scene/snapshot_scene.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// A snapshot with its renderer. Any thread that draws it holds `drawing` meanwhile, so that exports
// and the window take turns, picture by picture.
struct OpenScene {
  SceneModel model;
  std::mutex drawing;
  std::shared_ptr<Progress> progress;
  std::unique_ptr<analysis::RunContext> context;
  std::unique_ptr<render::SnapshotScene> scene;  // null: several devices draw
  std::unique_ptr<SceneCrew> crew;               // null: one does
};

// Reads the snapshot and copies it to the device. Throws Error and Cancelled.
std::shared_ptr<OpenScene> open_scene(const render::RenderRequest& request,
                                      const std::shared_ptr<Progress>& progress);

// What is known of a scene that is loaded, but for the time that took.
SceneModel model_of(render::SnapshotScene& scene);

// How particles are drawn: each type's appearance, and the colors of a finding in place of its own.
struct Looks {
  std::vector<compute::splotch::Appearance> appearances;
  analysis::ParticleColors colors;
  render::SlabChoice slab = {};  // what is drawn, by where it is
  render::ShownSets sets = {};
  render::MapLook map = {};  // in place of light
};

// One picture of it; `exact`: the same bits in every run. Waits until nobody else draws.
compute::splotch::Frame draw_scene(OpenScene& open, const Looks& looks,
                                   const compute::splotch::View& view, bool exact,
                                   Progress& progress);

// The same picture with what is told of it, which belong together: nobody else draws in between.
struct DescribedFrame {
  compute::splotch::Frame frame;
  std::string scene;  // what was drawn, as one line of JSON
};
DescribedFrame draw_described(OpenScene& open, const Looks& looks,
                              const compute::splotch::View& view, Progress& progress);

// The same, as fast as can be, of a sample of one in `sample` particles, left on the GPU where one
// draws if `on_device`; see splotch::Options.
compute::splotch::Frame draw_sample(OpenScene& open, const Looks& looks,
                                    const compute::splotch::View& view, int sample, bool on_device,
                                    Progress& progress);

// How each type appears in a state: the scene's own choice with what the state says otherwise.
// Throws Error for a color map that does not exist.
std::vector<compute::splotch::Appearance> appearances_of(const SceneModel& model,
                                                         const session::State& state);
// The same with the colors of a finding, if there are any, and the sets that are shown.
Looks looks_of(const SceneModel& model, const session::State& state,
               const analysis::ParticleColors& colors, const render::ShownSets& sets = {});

}  // namespace haloscope::app::viewer
