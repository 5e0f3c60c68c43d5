#include "analysis/snapshot/output_guard.h"
#include "app/viewer/panels/chosen_type.h"
#include "app/viewer/tasks/depth_job.h"
#include "app/viewer/viewer.h"

#include <algorithm>
#include <cmath>
#include <utility>

// What commands ask of a session beyond its state.
namespace haloscope::app::viewer {

using session::State;

namespace {

// Above so many particles a snapshot is given up before the next one is read, for both might not
// fit into memory; a failed reading then leaves nothing on screen but the last picture.
constexpr std::uint64_t kTooManyForTwo = 30'000'000;

std::map<int, render::TypeChoice> only_fields(const State& state) {
  std::map<int, render::TypeChoice> choices;
  for (const auto& [type, choice] : state.types)
    if (!choice.field.empty()) choices[type].field = choice.field;
  return choices;
}

}  // namespace

session::SceneFacts Viewer::scene() const {
  if (!facts_) return {};
  session::SceneFacts facts = *facts_;
  for (const auto& [finder, finding] : state_.findings)
    if (const auto found = findings_.of(finder))
      for (const auto& [field, values] : found->fields)
        facts.finding_fields[finder][field] = analysis::ranging_of(values).transform;
  if (const auto listed = findings_.of(state_.shown_finder))
    for (const analysis::Plot& plot : listed->plots) facts.plots.push_back(plot.name);
  if (scene_ && scene_->model.path == state_.snapshot()) facts.info = &scene_->model.info;
  facts.picture_size = [this](const State& state) { return picture_size(state); };
  // Of another snapshot or field, which is being read, nobody knows yet.
  if (before_opening_) facts.scales.clear();
  std::erase_if(facts.scales, [&](const auto& scale) {
    const auto loaded = loaded_fields_.find(scale.first);
    return state_.type(scale.first).field != (loaded == loaded_fields_.end() ? "" : loaded->second);
  });
  return facts;
}

std::optional<analysis::PiecePlace> Viewer::piece(const std::string& finder,
                                                  std::uint64_t number) const {
  const auto found = findings_.of(finder);
  if (!found || number >= found->places.size()) return {};
  return found->places[std::size_t(number)];
}

void Viewer::open_snapshot(const State& state) {
  if (state.snapshot().empty()) {
    // A state without a snapshot: the start page again.
    opener_.cancel();
    ++opening_;
    before_opening_.reset();
    scene_.reset();
    live_.clear();
    facts_.reset();
    findings_.clear();
    notice_.reset();
    return;
  }
  if (!before_opening_) before_opening_ = last_good_;
  if (!(scene_ && scene_->model.path == state.snapshot())) {
    brings_back_findings_ = true;
    // Back again where this one cannot be read.
    findings_.leave();
    memory_.piece_order.forget();
  }
  render::RenderRequest request = base_;
  request.snapshot = state.snapshot();
  request.choices = only_fields(state);
  request.hidden_too = true;
  request.camera = {};
  asked_fields_ = fields_of(state);
  std::uint64_t particles = 0;
  if (scene_)
    for (const std::uint64_t count : scene_->model.counts) particles += count;
  if (particles > kTooManyForTwo) {
    scene_.reset();
    live_.set_scene({});
  }
  opener_.submit({"opening",
                  [this, request, number = ++opening_](const std::shared_ptr<Progress>& progress) {
                    opened_scene_.put({number, open_scene(request, progress)});
                  },
                  [this](const std::string& fault) { faults_.add(fault); }, true});
}

void Viewer::export_still(const State& state, const session::StillRequest& asked) {
  if (asked.window) return exporter_->window_shot(asked.path, asked.overwrite);
  if (!scene_ || !state.camera) throw Error("no snapshot is open", "screenshot");
  session::StillRequest request = asked;
  if (request.width == 0) {
    const auto [width, height] = picture_size(state);
    request.width = width;
    request.height = height;
  }
  exporter_->still(scene_, shown_in(state), state, request);
}

void Viewer::export_frames(const State& state, const session::FilmRequest& asked) {
  if (!scene_) throw Error("no snapshot is open", "export_frames");
  session::FilmRequest request = asked;
  if (request.width == 0) {
    const auto [width, height] = picture_size(state);
    request.width = width;
    request.height = height;
  }
  exporter_->film(scene_, shown_in(state), base_, state, request);
}

void Viewer::preview_path(const State& state) {
  if (patient_) return say("nobody watches: the preview is left out");
  preview_.emplace(state, scene());
  preview_began_ = now_;
}

// One thing at a time, what was begun last first.
void Viewer::cancel() {
  if (preview_) return preview_.reset();
  if (playing_) {
    playing_ = false;
    return;
  }
  if (exporter_->busy()) return exporter_->cancel();
  if (findings_.busy()) return findings_.cancel();
  if (counter_.busy()) return counter_.cancel();
  opener_.cancel();
}

void Viewer::cancel_job(session::JobKind kind) {
  switch (kind) {
    case session::JobKind::Open:
      return opener_.cancel();
    case session::JobKind::Find:
      return findings_.cancel();
    case session::JobKind::Export:
      return exporter_->cancel();
    case session::JobKind::Count:
      return counter_.cancel();
  }
}

void Viewer::center_on(session::PicturePoint at) {
  if (!scene_ || !state_.camera) return;
  DepthRequest request{*state_.camera, at, picture_width_, {}};
  try {
    request.looks = looks_of(scene_->model, state_, wanted_colors());
  } catch (const Error& error) {
    return fail(error.what());
  }
  prober_.submit({"looking",
                  [this, scene = scene_, request = std::move(request),
                   number = opening_](const std::shared_ptr<Progress>& progress) {
                    if (const auto point = point_seen(*scene, request, *progress))
                      seen_point_.put({number, *point});
                  },
                  [this](const std::string& fault) { faults_.add(fault); }, true});
}

void Viewer::glide_from(const session::Camera& from) {
  glide_.start(from, now_);
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
  return viewer::chosen_type(memory_, scene_ ? &scene_->model : nullptr, state_);
}

void Viewer::toggle_panel(const std::string& name) {
  bool& open = memory_.open[name];
  open = !open;
}

void Viewer::say(const std::string& sentence) {
  tell(false, sentence);
}

}  // namespace haloscope::app::viewer
