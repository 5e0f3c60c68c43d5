#include "app/cli/render_overlays.h"

#include "analysis/catalogs/compared_findings.h"
#include "analysis/finder.h"
#include "analysis/snapshot/open_snapshot.h"
#include "app/session/camera.h"
#include "app/session/comparing.h"
#include "app/session/overlay_names.h"
#include "app/viewer/overlays/overlay_layer.h"
#include "app/viewer/tasks/scene_job.h"
#include "core/error.h"
#include "render/colors/layers.h"
#include "render/files/image_file.h"
#include "render/gl/gl_context.h"
#include "render/scene/map_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
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

// Whether pieces of what the state lists are drawn.
bool circles_pieces(const session::State& state) {
  return (state.overlays.pieces || state.overlays.labels) &&
         state.finding(state.shown_finder).searched;
}

// The search for the particles' colors, where it is the one whose pieces are drawn; null: it is
// not.
render::ColorSearch* same_search(const session::State& state, render::RenderRequest& request) {
  if (!request.color_by || request.color_by->finder != state.shown_finder) return nullptr;
  const bool same = request.color_by->options == state.finding(state.shown_finder).options;
  return same ? &*request.color_by : nullptr;
}

// What was found with the scene's own particles.
std::shared_ptr<const analysis::Finding> found_in(const render::SnapshotScene& scene,
                                                  const std::string& finder,
                                                  const analysis::AnyOptions& options,
                                                  analysis::RunContext& context) {
  const auto reader = analysis::open_snapshot(scene.request().snapshot, scene.request().said);
  analysis::FindRequest search;
  search.device = scene.device();
  search.resident = scene.resident_points();
  return analysis::find_in(*reader, finder, options, search, context.progress);
}

// With what is circled; null: with nothing.
std::shared_ptr<const analysis::ComparedFindings> compared(
    const render::SnapshotScene& scene, const session::State& state,
    std::shared_ptr<const analysis::Finding> circled, analysis::RunContext& context) {
  if (!circled || !state.compared || !state.overlays.pieces) return nullptr;
  const auto second = found_in(scene, state.compared->finder, state.compared->options, context);
  if (circled->pieces == 0 || second->pieces == 0) {
    context.print(fmt::format("{} found nothing: nothing is compared.",
                              (circled->pieces == 0 ? circled : second)->finder));
    return nullptr;
  }
  return analysis::compare_findings(std::move(circled), second,
                                    session::compare_line(*state.compared), context.progress)
      .compared;
}

// What is circled; null: nothing.
std::shared_ptr<const analysis::Finding> circled(render::SnapshotScene& scene,
                                                 const session::State& state,
                                                 analysis::RunContext& context) {
  if (!circles_pieces(state)) return nullptr;
  const analysis::AnyOptions& options = state.finding(state.shown_finder).options;
  const auto& known = scene.colors().finding;
  if (known && known->finder == state.shown_finder && known->options == options) return known;
  return found_in(scene, state.shown_finder, options, context);
}

void refuse_numbers(const render::RenderRequest& request) {
  if (render::is_map_of_numbers(request))
    throw Error("such a file of a map holds numbers, and no overlays", kOption,
                "write the map as .png, or leave it out");
  if (request.mode == compute::splotch::Mode::Classic)
    throw Error("a classic picture is mirrored, so that overlays do not fit it", kOption,
                "leave it out");
  if (render::image_extension(request.output) == ".exr")
    throw Error("an .exr file holds light, and no overlays", kOption,
                "write .png, or leave it out");
}

}  // namespace

PictureOverlays choose_overlays(const session::State& said, render::RenderRequest& request,
                                bool draws) {
  refuse_numbers(request);
  session::State state = said;
  state.map = render::map_of(request);
  if (request.letter_size) state.overlays.letters = *request.letter_size;
  state.tone.white_ground = request.white_ground.value_or(false);
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
  if (is_named("path") && state.path.empty())
    throw Error("there is no camera path that could be drawn", kOption,
                "give the state of a session that has one (--state), or leave path out");
  if (draws && circles_pieces(state))
    if (render::ColorSearch* const search = same_search(state, request)) search->measured = true;
  return {state, draws ? render::gl::make_headless_context() : nullptr};
}

Image8 with_overlays(const Image8& picture, render::SnapshotScene& scene,
                     const compute::splotch::View& view, const PictureOverlays& overlays,
                     const compute::splotch::Ranging& map, analysis::RunContext& context) {
  const session::State& state = overlays.state;
  const viewer::SceneModel model = viewer::model_of(scene);
  viewer::LayerContent content{model, circled(scene, state, context), state};
  content.camera = session::from_view(view);
  content.width = picture.width;
  content.height = picture.height;
  content.colors = scene.colors();
  content.slice = scene.slice();
  content.compared = compared(scene, state, content.circled, context);
  content.map = map;
  viewer::OverlayLayers layers;
  return render::under_layer(picture, layers.draw(content));
}

}  // namespace haloscope::app::cli
