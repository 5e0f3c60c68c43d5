#include "app/viewer/panels/chosen_type.h"
#include "app/viewer/viewer.h"

#include <fmt/format.h>

#include <future>
#include <map>
#include <utility>

// What commands ask of a session beyond its state.
namespace haloscope::app::viewer {

using session::State;

session::SceneFacts Viewer::scene() const {
  session::SceneFacts facts;
  if (opener_.facts()) facts = *opener_.facts();
  if (recorder_) facts.recording = recorder_->path();
  if (!opener_.facts()) return facts;
  for (const auto& [finder, finding] : state_.findings)
    if (const auto found = findings_.of(finder)) {
      for (const auto& [field, values] : found->fields)
        facts.finding_fields[finder][field] = analysis::ranging_of(values).transform;
      if (const auto before = findings_.before(state_.snapshot(), finder, found->options))
        facts.searched_before[finder] = before->options;
      if (found->branches) facts.branches[finder] = found->branches;
      facts.piece_counts[finder] = found->places.size();
      for (const analysis::Plot& plot : found->plots)
        if (plot.of_pairs) facts.plots_of_pairs.insert(finder);
    }
  facts.grid = slices_.facts(gridded());
  if (const auto& shown = live_.shown(); shown && shown->map_color)
    facts.map_scale = shown->map_color->transform;
  if (const auto listed = findings_.of(state_.shown_finder))
    for (const analysis::Plot& plot : listed->plots) facts.plots.push_back(plot.name);
  const auto note_brushable = [&](const std::vector<analysis::Plot>& plots) {
    for (const analysis::Plot& plot : plots)
      if (plot.particles && !plot.is_empty()) facts.brushable[plot.name] = *plot.particles;
  };
  if (const auto listed = findings_.of(state_.shown_finder)) note_brushable(listed->plots);
  for (const auto& made : measured()) note_brushable(made->plots);
  if (opener_.has_open(state_.snapshot())) facts.info = &opener_.model()->info;
  facts.picture_size = [this](const State& state) { return picture_size(state); };
  // The scales of what is being read, another snapshot or field, are not known yet.
  if (opener_.opening()) facts.scales.clear();
  std::erase_if(facts.scales,
                [&](const auto& scale) { return !opener_.has_field(state_, scale.first); });
  return facts;
}

std::optional<analysis::PiecePlace> Viewer::piece(const std::string& finder,
                                                  std::uint64_t number) const {
  const auto found = findings_.of(finder);
  if (!found || number >= found->places.size()) return {};
  return found->places[std::size_t(number)];
}

void Viewer::open_snapshot(const State& state) {
  probe_.cancel();
  pick_.cancel();
  ruler_probe_.cancel();
  cursor_.show({});
  if (state.snapshot().empty()) {
    // A state without a snapshot: the start page again.
    opener_.close();
    live_.clear();
    findings_.clear();
    notice_.reset();
    return;
  }
  std::shared_future<void> left;
  if (!opener_.has_open(state.snapshot())) {
    brings_back_findings_ = true;
    // They come back where this snapshot cannot be read.
    findings_.leave();
    left = findings_.searches_ended();
    memory_.piece_order.forget();
  }
  const bool had_scene = opener_.scene() != nullptr;
  opener_.open(base_, state, last_good_, left);
  if (had_scene && !opener_.scene()) live_.set_scene({});
}

void Viewer::export_still(const State& state, const session::StillRequest& asked) {
  if (asked.window) return exporter_.window_shot(asked.path, asked.overwrite);
  if (!opener_.scene() || !state.camera) throw Error("no snapshot is open", "screenshot");
  session::StillRequest request = asked;
  if (request.width == 0) {
    const auto [width, height] = picture_size(state);
    request.width = width;
    request.height = height;
  }
  exporter_.still(opener_.scene(), shown_in(state), state, request);
}

void Viewer::export_frames(const State& state, const session::FilmRequest& asked) {
  if (!opener_.scene()) throw Error("no snapshot is open", "export_frames");
  session::FilmRequest request = asked;
  if (request.width == 0) {
    const auto [width, height] = picture_size(state);
    request.width = width;
    request.height = height;
  }
  exporter_.film(opener_.scene(), shown_in(state), base_, state, request);
}

void Viewer::preview_path(const State& state) {
  if (patient_) return say("nobody watches: the preview is left out");
  seen_.preview(state, scene(), now_);
}

// One thing at a time.
void Viewer::cancel() {
  if (seen_.previewing()) return seen_.end_preview();
  if (playing_) {
    playing_ = false;
    return;
  }
  want_measurements();
  tasks_.cancel_first();
}

void Viewer::cancel_job(session::JobKind kind) {
  // What was asked for in this frame has not begun yet, and would do so behind this.
  want_measurements();
  // Nor has what waits for a search. The state is this command's until it has ended.
  const bool waits = opener_.busy() || findings_.busy() || playing_;
  if (kind == session::JobKind::Compare && waits && state_.compared && !compared())
    gives_up_comparison_ = true;
  tasks_.cancel(kind);
}

void Viewer::center_on(session::PicturePoint at) {
  look_at(at, probe_);
}

void Viewer::select_seen(session::PicturePoint at) {
  const std::string& finder = state_.shown_finder;
  picked_from_ = {finder, state_.finding(finder).selected};
  look_at(at, pick_);
}

std::optional<DepthRequest> Viewer::depth_request(session::PicturePoint at) {
  if (!opener_.scene() || !state_.camera) return {};
  DepthRequest request{*state_.camera, at, picture_width_, {}};
  try {
    request.looks = looks_of(*opener_.model(), state_, wanted_colors(), shown_sets(state_));
    request.looks.map.field.clear();  // depths are those of mass
  } catch (const Error& error) {
    fail(error.what());
    return {};
  }
  return request;
}

void Viewer::look_at(session::PicturePoint at, PointProbe& probe) {
  if (auto request = depth_request(at)) probe.look(opener_.scene(), std::move(*request));
}

void Viewer::select_at(const std::optional<Vec>& point) {
  const std::string& finder = picked_from_.finder;
  const auto found = findings_.of(finder);
  // Others may be shown or selected by now.
  if (!found || finder != state_.shown_finder ||
      state_.finding(finder).selected != picked_from_.selected)
    return;
  if (!found->measured)
    return say(
        fmt::format("the {} are being measured: click again once they are",
                    analysis::piece_word(*found, analysis::require_finder(finder).words(), 2)));
  std::optional<std::uint64_t> piece;
  if (point) piece = analysis::require_finder(finder).piece_at(*found, *point);
  if (piece)
    push(fmt::format("select {} {}", finder, *piece));
  else if (state_.shown().selected)
    push("select " + finder);
}

void Viewer::glide_from(const session::Camera& from) {
  seen_.glide_from(from, now_);
}

void Viewer::set_clipboard(const std::string& text) {
  last_clipboard_ = text;
  clipboard_ = text;
}

std::string Viewer::clipboard() const {
  return clipboard_source_ ? clipboard_source_() : last_clipboard_;
}

void Viewer::resize(int width, int height) {
  resize_ = {width, height};
}

std::string Viewer::chosen_type() const {
  return viewer::chosen_type(memory_, opener_.model(), state_);
}

void Viewer::toggle_panel(const std::string& name) {
  bool& open = memory_.open[name];
  open = !open;
}

void Viewer::say(const std::string& sentence) {
  tell(false, sentence);
}

}  // namespace haloscope::app::viewer
