#include "app/cli/render_overlays.h"

#include "analysis/finder.h"
#include "analysis/snapshot/open_snapshot.h"
#include "app/session/beside_state.h"
#include "app/session/camera.h"
#include "app/session/overlay_names.h"
#include "app/session/state_file.h"
#include "app/viewer/overlays/overlay_layer.h"
#include "app/viewer/tasks/scene_job.h"
#include "core/error.h"
#include "render/colors/layers.h"
#include "render/files/image_file.h"
#include "render/gl/gl_context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::app::cli {

namespace {

constexpr const char* kOption = "--overlays";
constexpr const char* kUsual = "usual";  // those of the state file, else of a new window

void require_overlay(const std::string& name) {
  const std::vector<std::string>& names = session::overlay_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw Error("'" + name + "' is no overlay", kOption,
                fmt::format("there are {}, {}", kUsual, fmt::join(names, ", ")));
}

// What is circled, where the state says so and names a search; null: nothing.
std::shared_ptr<const analysis::Finding> circled(render::SnapshotScene& scene,
                                                 const session::State& state,
                                                 analysis::RunContext& context) {
  const session::FindingState& asked = state.finding(state.shown_finder);
  if (!state.overlays.pieces || !asked.searched) return nullptr;
  const auto reader = analysis::open_snapshot(scene.request().snapshot, scene.request().said);
  analysis::FindRequest search;
  search.device = scene.device();
  search.resident = scene.resident_points();
  return analysis::find_in(*reader, state.shown_finder, asked.options, search, context.progress);
}

}  // namespace

session::State overlay_state(const render::RenderRequest& request) {
  if (request.mode == compute::splotch::Mode::Map)
    throw Error("a map holds numbers, and no overlays", kOption, "leave it out");
  if (request.mode == compute::splotch::Mode::Classic)
    throw Error("a classic picture is mirrored, so that overlays do not fit it", kOption,
                "leave it out");
  if (render::image_extension(request.output) == ".exr")
    throw Error("an .exr file holds light, and no overlays", kOption,
                "write .png, or leave it out");
  session::State state;
  if (!request.state.empty()) {
    session::ReadState read = session::load_state(request.state);
    session::find_palettes(read, request.state);
    state = read.state;
  }
  const std::vector<std::string>& names = *request.overlays;
  if (std::find(names.begin(), names.end(), kUsual) == names.end())
    for (const std::string& name : session::overlay_names())
      session::show_overlay(state.overlays, name, false);
  for (const std::string& name : names) {
    if (name == kUsual) continue;
    require_overlay(name);
    session::show_overlay(state.overlays, name, true);
  }
  // Told before anything is drawn, as all of this is.
  const auto is_named = [&](const char* name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if ((is_named("pieces") || is_named("labels")) && !state.finding(state.shown_finder).searched)
    throw Error(
        "nothing that could be circled has been searched for in this picture", kOption,
        "give the state of a session that has searched (--state), or leave pieces and labels "
        "out");
  render::gl::make_headless_context();
  return state;
}

Image8 with_overlays(const Image8& picture, render::SnapshotScene& scene,
                     const compute::splotch::View& view, const session::State& state,
                     analysis::RunContext& context) {
  const viewer::SceneModel model = viewer::model_of(scene);
  viewer::LayerContent content{model, circled(scene, state, context), state};
  content.camera = session::from_view(view);
  content.width = picture.width;
  content.height = picture.height;
  content.colors = scene.colors();
  content.slice = scene.slice();
  const auto opengl = render::gl::make_headless_context();
  viewer::OverlayLayers layers;
  return render::under_layer(picture, layers.draw(content));
}

}  // namespace haloscope::app::cli
