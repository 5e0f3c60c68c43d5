#include "analysis/snapshot/open_snapshot.h"
#include "app/session/beside_state.h"
#include "app/session/state.h"
#include "app/session/state_file.h"
#include "core/error.h"
#include "core/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

namespace haloscope::app::session {

render::RenderRequest to_render_request(const State& state) {
  render::RenderRequest request;
  request.snapshot = state.snapshot();
  request.size = PixelSize{state.width, state.height};
  request.choices = state.types;
  request.map = state.map;
  if (const std::string* finder = state.map.shown ? nullptr : state.colored_by()) {
    const FindingState& finding = state.finding(*finder);
    if (finding.searched)
      request.color_by =
          render::ColorSearch{*finder, finding.options, finding.color_field, finding.look};
  }
  const std::string& gridded = finder_with_grid();
  if (state.slice.axis && !gridded.empty() && state.finding(gridded).searched)
    request.slice = render::SliceSearch{gridded, state.finding(gridded).options, state.slice, {}};
  request.slab = state.slab;
  if ((state.show_sets != analysis::ShowSets::Off && !sets_of(state).empty()) ||
      !state.follow.empty())
    request.sets =
        render::SetSearch{state.show_sets, sets_of(state), state.snapshots, state.follow, {}};
  request.exposure_ev = state.tone.exposure_ev;
  request.gamma = state.tone.gamma;
  request.white_ground = state.tone.white_ground;
  request.compute.deterministic = true;
  if (state.tone.softening && state.tone.white)
    request.tone = render::ToneCurve{*state.tone.softening, *state.tone.white};
  if (state.camera) {
    const Camera& camera = *state.camera;
    request.camera.eye = eye_of(camera);
    request.camera.target = camera.center;
    request.camera.up = up_of(camera);
    if (camera.perspective)
      request.camera.fov_degrees = camera.fov_degrees;
    else
      request.camera.ortho_width = camera.ortho_width;
  }
  return request;
}

namespace {

bool same_snapshot(const std::string& a, const std::string& b) {
  std::error_code unknown;
  return a == b || (std::filesystem::equivalent(a, b, unknown) && !unknown);
}

// Of snapshots that selections were made in, the one that the state shows is that of the request,
// where this is none of the others.
void resolve_series(ReadState& read, const std::string& path, render::RenderRequest& request) {
  if (!request.sets) return;
  std::vector<std::string>& series = request.sets->series;
  const std::size_t current = read.state.current;
  bool elsewhere = !request.snapshot.empty() && read.state.snapshots.size() > 1;
  analysis::each_selection(request.sets->sets, [&](const SelectionState& selection) {
    elsewhere = elsewhere || selection.made_in != current;
  });
  if (elsewhere) find_snapshots(read, path);
  series = read.state.snapshots;
  series.resize(std::max(series.size(), current + 1));
  const auto drawn = [&](const std::string& name) { return same_snapshot(name, request.snapshot); };
  if (!request.snapshot.empty() && std::none_of(series.begin(), series.end(), drawn))
    series[current] = request.snapshot;
}

bool differ(double a, double b) {
  return std::abs(a - b) > 1e-6 * std::max(std::abs(a), std::abs(b));
}

// Camera, limits and places of a state are those of its own simulation. Where its snapshot is not
// at hand, nobody can tell.
void tell_other_simulation(const std::string& path, const std::string& own,
                           const render::RenderRequest& request) {
  std::error_code unknown;
  if (own.empty() || request.snapshot.empty() || same_snapshot(own, request.snapshot) ||
      !std::filesystem::exists(own, unknown))
    return;
  try {
    const auto of_state = analysis::open_snapshot(own, {});
    const auto drawn = analysis::open_snapshot(request.snapshot, request.said);
    const SnapshotInfo &a = of_state->info(), &b = drawn->info();
    if (a.periodic == b.periodic && !differ(a.box_size, b.box_size) &&
        !differ(a.units.length_cm, b.units.length_cm))
      return;
    log::warn(fmt::format(
        "{} was made of {}, which is of another simulation (its box is {:.6g} wide, that of {} "
        "{:.6g}): its places and limits may mean nothing here",
        path, own, a.box_size, request.snapshot, b.box_size));
  } catch (const Error&) {
    // Whoever draws tells what is wrong with a file.
  }
}

// In place of light. What --palette and --range say is meant for it; --map asks for another one.
void apply_map(const render::MapLook& map, render::RenderRequest& request) {
  if (request.mode != compute::splotch::Mode::Default || !map.shown) return;
  request.map = map;
  if (!request.palette.empty()) request.map.color.color_map = std::exchange(request.palette, {});
  if (!request.range) return;
  request.map.color.limits = std::exchange(request.range, {});
  if (!((*request.map.color.limits)[0] > 0) &&
      request.map.color.scale.value_or(Transform::Log) == Transform::Log)
    request.map.color.scale = Transform::Linear;
}

}  // namespace

State apply_state_file(const std::string& path, render::RenderRequest& request) {
  ReadState read = load_state(path);
  find_palettes(read, path);
  for (const auto& warning : read.warnings) log::warn(warning);
  const render::RenderRequest said = to_render_request(read.state);
  request.sets = said.sets;
  tell_other_simulation(path, read.state.snapshot(), request);
  resolve_series(read, path, request);
  request.choices = said.choices;
  request.color_by = said.color_by;
  request.slice = said.slice;
  request.slab = said.slab;
  apply_map(said.map, request);
  request.compute.deterministic = true;
  if (!request.camera.any()) request.camera = said.camera;
  if (!request.exposure_ev) request.exposure_ev = said.exposure_ev;
  if (!request.gamma) request.gamma = said.gamma;
  if (!request.white_ground) request.white_ground = said.white_ground;
  if (!request.tone) request.tone = said.tone;
  return read.state;
}

}  // namespace haloscope::app::session
