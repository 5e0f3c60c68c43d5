#include "app/cli/render.h"

#include "analysis/snapshot/json_text.h"
#include "analysis/snapshot/output_guard.h"
#include "app/cli/render_overlays.h"
#include "app/cli/run_on_devices.h"
#include "app/session/state.h"
#include "compute/exec/ranks.h"
#include "core/array.h"
#include "core/version.h"
#include "render/scene/map_output.h"
#include "render/scene/memory_of_ranks.h"
#include "render/scene/picture_output.h"
#include "render/scene/picture_warnings.h"
#include "render/scene/require_for_ranks.h"
#include "render/scene/snapshot_scene.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <span>

namespace haloscope::app::cli {

namespace {

namespace splotch = compute::splotch;
using splotch::Mode;

constexpr PixelSize kMapSize{1024, 1024};

std::map<std::string, std::string> description(const render::SnapshotScene& scene,
                                               const splotch::View& view,
                                               analysis::RunContext& context) {
  return {{"Software", version()},
          {"Source", scene.request().snapshot},
          {"Command", context.command_line},
          {"Scene", analysis::json_text(scene.describe(view), -1)}};
}

render::RenderRequest on_device(render::RenderRequest request, compute::Device device) {
  request.compute.chosen = device;
  request.said.device = device.word();
  return request;
}

void require_own_outputs(const render::RenderRequest& request, const SnapshotInfo& info) {
  std::vector<std::string> inputs = info.files;
  inputs.push_back(request.snapshot);
  inputs.push_back(request.palette);
  analysis::refuse_overwriting({request.output, request.stats}, inputs);
}

// Mistakes in the options show before anything is read, whatever the particles are.
void check_camera_choice(const render::RenderRequest& request, PixelSize size) {
  const render::Bounds any{{0, 0, 0}, {1, 1, 1}};
  request.mode == Mode::Map ? render::choose_map_view(any, request.camera, size.width, size.height)
                            : render::choose_view(any, request.camera, size.width, size.height);
}

// What was asked for and would have no effect.
void require_fitting_options(const render::RenderRequest& asked) {
  const std::string extension = render::lower_extension(asked.output);
  if (asked.white_ground && (extension == ".exr" || extension == ".hdf5" || extension == ".h5"))
    throw Error("this file holds numbers, which stand on no ground", "--ground",
                "write .png, or leave it out");
  if (asked.letter_size && !asked.overlays)
    throw Error("letters are those of overlays, and none are asked for", "--letters",
                "add --overlays usual");
}

splotch::Frame draw(render::SnapshotScene& scene, const splotch::View& view,
                    analysis::RunContext& context) {
  splotch::Frame frame;
  const int repeat = scene.request().repeat;
  for (int i = 0; i < repeat; ++i) {
    context.progress.report("drawing", double(i) / repeat);
    frame = scene.draw(view, context.progress);
  }
  context.progress.report("writing", 1);
  return frame;
}

void write(render::SnapshotScene& scene, const splotch::View& view, const splotch::Frame& frame,
           const std::optional<PictureOverlays>& overlays, analysis::RunContext& context) {
  const render::RenderRequest& request = scene.request();
  const auto text = description(scene, view, context);
  // With the scale and the limits of a map.
  const auto overlaid = [&](const Image8& picture, const splotch::Ranging& map) {
    return with_overlays(picture, scene, view, *overlays, map, context);
  };
  if (request.mode == Mode::Map || render::is_map_of_numbers(request))
    return render::write_map(
        request, render::make_map(request, scene.info(), scene.types(), view, frame.image, text),
        overlays ? render::FinishMap(overlaid) : render::FinishMap());
  splotch::Ranging map;
  if (overlays && request.map.shown)
    map = render::map_color(request.map, render::choose_exposure(request, frame, scene.sets()).map);
  render::FinishPicture finish;
  if (overlays) finish = [&](const Image8& picture) { return overlaid(picture, map); };
  for (const auto& sentence :
       render::write_picture(request, frame, scene.sets(), text, scene.slice(), view, finish))
    scene.note(sentence);
}

// Also tells of a large one, before it is drawn.
void require_picture_memory(const render::RenderRequest& request, PixelSize size,
                            compute::Ranks& ranks, analysis::RunContext& context) {
  const std::uint64_t bytes = render::picture_bytes(size);
  bool on_each = false;
  if (ranks.size() == 1) {
    require_host_memory(bytes, "a picture of this size");
  } else {
    const compute::Device device = render::device_of_rank(request.compute, ranks);
    on_each = render::picture_bytes_of_rank(request, size, device, false) == bytes;
    render::require_memory_of_ranks(
        ranks, request.compute.chosen.has_value(), render::HeldByRanks::Each,
        render::picture_bytes_of_rank(request, size, device, ranks.first()),
        "a picture of this size", "choose fewer pixels");
  }
  if (!request.quiet && render::is_worth_telling(bytes))
    context.print(render::memory_in_words(size) + (on_each ? " So it does on each rank." : ""));
}

// As one of the context's ranks, or alone. `state`: that of the request's file, if it has one.
analysis::Statistics render_as_rank(const render::RenderRequest& asked, const session::State& state,
                                    analysis::RunContext& context) {
  render::RenderRequest request = asked;
  compute::Ranks& ranks = compute::ranks_or_alone(context.ranks);
  if (ranks.size() > 1) render::require_for_ranks(request);
  // The first rank writes; what it cannot write, it says, and all end.
  if (ranks.first()) render::require_output(request);
  std::optional<PictureOverlays> overlays;
  if (request.overlays) overlays = choose_overlays(state, request, ranks.first());
  const bool map = request.mode == Mode::Map;
  const PixelSize size = request.size.value_or(map ? kMapSize : PixelSize{});
  require_picture_memory(request, size, ranks, context);
  render::SnapshotScene scene(request, context);
  if (ranks.first()) require_own_outputs(request, scene.info());
  check_camera_choice(request, size);
  scene.load();
  const splotch::View view = scene.view(request.camera, size);
  render::require_parallel(request, view);
  const splotch::Frame frame = draw(scene, view, context);
  analysis::Statistics statistics = scene.statistics();
  statistics.repeat = request.repeat;
  statistics.ranks = ranks.size();
  ranks.all_reduce(std::span(&statistics.device_peak_bytes, 1),
                   [](std::uint64_t a, std::uint64_t b) { return std::max(a, b); });
  if (!ranks.first()) {
    scene.keep_lengths();
    return statistics;
  }
  const render::MapLook shown_map = render::map_of(scene.request());
  render::warn_of_darkness(frame, shown_map.shown, shown_map.field);
  write(scene, view, frame, overlays, context);
  scene.keep_lengths();
  statistics.timings = scene.statistics().timings;
  if (!request.stats.empty()) analysis::write_statistics(request.stats, statistics);
  if (request.quiet) return statistics;
  for (const auto& sentence : scene.sentences()) context.print(sentence);
  context.print(analysis::in_words(statistics));
  context.print("wrote " + request.output);
  return statistics;
}

}  // namespace

analysis::Statistics run_render(const render::RenderRequest& request,
                                analysis::RunContext& context) {
  return run_render_on(devices_of_gpus(request.compute.gpus, request.compute.device, context),
                       request, context);
}

analysis::Statistics run_render_on(const std::vector<compute::Device>& devices,
                                   const render::RenderRequest& request,
                                   analysis::RunContext& context) {
  require_fitting_options(request);
  render::RenderRequest with = request;
  session::State state;
  if (!request.state.empty()) state = session::apply_state_file(request.state, with);
  if (devices.empty()) return render_as_rank(with, state, context);
  analysis::Statistics of_first;
  run_on_devices(devices, context, [&](analysis::RunContext& own, compute::Device device) {
    const analysis::Statistics its = render_as_rank(on_device(with, device), state, own);
    if (compute::ranks_or_alone(own.ranks).first()) of_first = its;
  });
  return of_first;
}

}  // namespace haloscope::app::cli
