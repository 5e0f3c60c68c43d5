#include "app/viewer/viewer.h"

#include "app/viewer/frame/frame_parts.h"
#include "core/particles.h"
#include "core/version.h"
#include "io/loading/derived_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace haloscope::app::viewer {

namespace {

using session::State;

constexpr std::size_t kLogLines = 2000;

// What commands may ask of the snapshot that is open.
session::SceneFacts facts_of(const SceneModel& model) {
  session::SceneFacts facts;
  facts.open = true;
  facts.bounds = model.bounds;
  facts.periodic = model.info.periodic && model.info.box_size > 0;
  facts.box_origin = model.info.box_origin;
  facts.box_size = model.info.box_size;
  facts.types = model.types;
  for (std::size_t k = 0; k < model.types.size(); ++k) {
    facts.scales[model.types[k]] = model.appearances[k].color.transform;
    if (!model.looks[k].shown) facts.hidden_at_first.insert(model.types[k]);
  }
  for (const int type : model.types) {
    auto& names = facts.fields[type];
    for (const auto& field : model.info.types.at(type).fields)
      if (field.components == 1) names.push_back(field.name);
    for (const auto& field : io::derived_fields(model.info, type))
      if (field.components == 1) names.push_back(field.name);
    names.push_back(kLocalDensity);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
  }
  return facts;
}

}  // namespace

std::map<int, std::string> Viewer::fields_of(const State& state) {
  std::map<int, std::string> fields;
  for (const auto& [type, choice] : state.types)
    if (!choice.field.empty()) fields[type] = choice.field;
  return fields;
}

Viewer::Viewer(render::RenderRequest base, std::function<void()> wake)
    : base_(std::move(base)),
      live_(wake, [this](const std::string& fault) { faults_.add(fault); }),
      exporter_(std::make_unique<Exporter>(
          wake, [this](const std::string& sentence) { log_mail_.add(sentence); },
          [this](const std::string& deed) { deeds_.add(deed); },
          [this](const std::string& fault) { faults_.add(fault); })),
      findings_(wake, [this](const std::string& fault) { faults_.add(fault); }),
      counter_(wake),
      opener_(wake),
      prober_(wake),
      series_(wake),
      folder_(wake) {}

Viewer::~Viewer() = default;

void Viewer::stop() {
  exporter_->stop();
  live_.stop();
  counter_.stop();
  findings_.stop();
  series_.stop();
  folder_.stop();
  for (Worker* worker : {&opener_, &prober_}) {
    worker->cancel();
    worker->wait();
  }
}

void Viewer::play(std::vector<session::RecordedCall> calls, bool by_clock) {
  player_.emplace(std::move(calls));
  by_clock_ = by_clock;
  player_began_ = now_;
}

void Viewer::record(const std::string& path) {
  recorder_ = std::make_unique<session::Recorder>(
      path, version() + ", a session: haloscope view --replay plays it");
}

void Viewer::push(const std::string& line) {
  try {
    pushed_.push(session::parse_command(line));
  } catch (const Error& error) {
    tell(true, error.what());
  }
}

void Viewer::tell(bool warning, const std::string& text) {
  if (log_.size() >= kLogLines) log_.erase(log_.begin(), log_.begin() + kLogLines / 2);
  log_.push_back({warning, text});
  if (warning) show_notice(true, text);
  if (on_said_) on_said_(warning, text);
}

void Viewer::update(double now) {
  now_ = now;
  end_old_notice();
  take_results();
  play_recording(now);
  run_commands();
  play_series();
  reload_fields();
  tell_colors();
  want_count();
  want_picture(now);
  want_files();
  if (headless_ && !keeps_going_ && first_fault_) throw Error(*first_fault_);
}

// ---- results of jobs

void Viewer::take_results() {
  take_scene();
  take_findings();
  take_count();
  if (auto light = live_.receive()) {
    light_ = std::move(*light);
    new_picture_ = true;
    const auto& shown = *live_.shown();
    picture_ = {shown.camera,
                shown.coarseness.divisor,
                shown.milliseconds,
                shown.counts,
                shown.coarseness.sample,
                {},
                {}};
  }
  if (const auto seen = seen_point_.take(); seen && seen->first == opening_)
    push(fmt::format("glide_to {} {} {}", seen->second[0], seen->second[1], seen->second[2]));
  for (const auto& sentence : log_mail_.take()) tell(false, sentence);
  for (const auto& deed : deeds_.take()) announce(deed);
  for (const auto& fault : faults_.take()) {
    tell(true, fault);
    if (!first_fault_) first_fault_ = fault;
  }
  // A search that failed or was cancelled. Findings of before an opening may still come back.
  if (!before_opening_ && !findings_.busy())
    for (auto& [finder, finding] : state_.findings)
      if (!findings_.of(finder)) finding.searched = false;
  // A reading that failed or was cancelled: back to what was there.
  if (before_opening_ && !opener_.busy() && !opened_scene_.has_value()) {
    take_back_opening();
    before_opening_.reset();
    asked_fields_ = loaded_fields_;
    playing_ = false;
  }
}

// What `open` and its like had changed; what the user did meanwhile stays.
void Viewer::take_back_opening() {
  const State& before = *before_opening_;
  brings_back_findings_ = false;
  state_.snapshots = before.snapshots;
  state_.current = before.current;
  state_.types = before.types;
  state_.selection = before.selection;
  for (auto& [finder, finding] : state_.findings) {
    finding.searched = before.finding(finder).searched;
    finding.selected = before.finding(finder).selected;
  }
  if (!state_.camera) state_.camera = before.camera;
  findings_.come_back();
  if (scene_) return;
  // It was given up for the one that could not be read: the start page.
  state_.snapshots.clear();
  state_.current = 0;
  state_.selection = {};
  for (auto& [finder, finding] : state_.findings) finding.searched = false;
  live_.clear();
  facts_.reset();
  findings_.clear();
}

void Viewer::take_scene() {
  auto opened = opened_scene_.take();
  if (!opened || opened->first != opening_) return;
  before_opening_.reset();
  findings_.arrive();
  scene_ = std::move(opened->second);
  if (notice_ && notice_->snapshot != scene_->model.path) notice_.reset();
  loaded_fields_ = asked_fields_;
  facts_ = facts_of(scene_->model);
  if (!state_.camera)
    state_.camera = session::first_camera(scene_->model.bounds, picture_width_, picture_height_);
  live_.set_scene(scene_);
  if (std::exchange(brings_back_findings_, false)) bring_back_findings();
  for (const auto& sentence : sentences_of(scene_->model.info.assumed)) tell(false, sentence);
  for (const auto& sentence : scene_->model.sentences) tell(false, sentence);
  if (opened_) opened_(scene_->model.path);
}

// ---- commands

void Viewer::run_line(const session::Call& call) {
  last_good_ = state_;
  session::run_command(call, state_, *this);
  history_.note(call, last_good_, state_, now_);
  if (recorder_) recorder_->record(session::as_recorded(call, state_), now_);
}

// In the words of a recording, where something was done meanwhile.
void Viewer::tell_held() {
  if (told_held_ == held_ || (held_ && pushed_.empty())) return;
  told_held_ = held_;
  run_line(session::parse_command(held_ ? "one_step on" : "one_step off"));
}

void Viewer::run_commands() {
  try {
    tell_held();
  } catch (const std::exception& error) {
    tell(true, error.what());
  }
  for (const auto& call : pushed_.take()) {
    try {
      run_line(call);
    } catch (const std::exception& error) {
      tell(true, error.what());
    }
  }
}

bool Viewer::working() const {
  return opener_.busy() || findings_.busy() || exporter_->busy() || before_opening_ ||
         opened_scene_.has_value() || !faults_.empty();
}

void Viewer::play_recording(double now) {
  if (waits_ && !working() && !counting() && !playing_ && !preview_ && live_.complete())
    waits_ = false;
  while (player_ && !player_->finished() && !working() && !counting() && !waits_ && !done_) {
    const double clock = by_clock_ ? now - player_began_ : player_->next_seconds();
    last_good_ = state_;
    const session::RecordedCall next = player_->next();
    try {
      if (!player_->run_one_due(clock, state_, *this)) return;
      history_.note(next.call, last_good_, state_, next.seconds);
      if (recorder_) recorder_->record(session::as_recorded(next.call, state_), now_);
      // What the user does is timed by another clock.
      if (player_->finished()) history_.rest();
      want_count();
    } catch (const Error& error) {
      if (headless_ && !keeps_going_) throw;
      tell(true, error.what());
    }
  }
}

// The next snapshot of a series that plays, as soon as this one was seen.
void Viewer::play_series() {
  if (!playing_ || working() || !live_.complete()) return;
  if (state_.current + 1 >= state_.snapshots.size()) {
    playing_ = false;
    return;
  }
  last_good_ = state_;
  try {
    session::run_command("next_snapshot", state_, *this);
  } catch (const Error& error) {
    playing_ = false;
    tell(true, error.what());
  }
}

// ---- the picture

void Viewer::reload_fields() {
  if (!scene_ || opener_.busy() || before_opening_ || fields_of(state_) == asked_fields_) return;
  last_good_ = state_;
  for (auto& [type, choice] : last_good_.types) {
    const auto loaded = loaded_fields_.find(type);
    choice.field = loaded == loaded_fields_.end() ? "" : loaded->second;
  }
  open_snapshot(state_);
}

session::Camera Viewer::seen_camera(double now) {
  preview_shown_.reset();
  if (preview_ && now - preview_began_ > preview_->end() - preview_->begin()) preview_.reset();
  if (preview_) {
    preview_shown_ = preview_->at(preview_->begin() + now - preview_began_);
    memory_.play_head = preview_shown_->seconds;
    return preview_shown_->camera;
  }
  if (patient_) return *state_.camera;
  const bool wraps = state_.tiling && facts_ && facts_->periodic;
  return glide_.at(*state_.camera, now, wraps ? facts_->box_size : 0);
}

std::map<int, session::TypeState> Viewer::seen_types() const {
  if (!preview_shown_ || !facts_) return state_.types;
  State shown = state_;
  session::show_moment(*preview_shown_, *facts_, shown);
  return shown.types;
}

void Viewer::want_picture(double now) {
  if (!scene_ || (headless_ && before_opening_)) return;
  // Of a state or a view that says nothing of the camera.
  if (!state_.camera && !before_opening_)
    state_.camera = session::first_camera(scene_->model.bounds, picture_width_, picture_height_);
  if (!state_.camera) return;
  const session::Camera camera = seen_camera(now);
  frame_log_.want(camera, now);
  live_.want({camera, picture_width_, picture_height_, seen_types(), wanted_colors()}, now,
             patient_);
}

void Viewer::note_frame(double now) {
  if (!std::exchange(new_picture_, false)) return;
  frame_log_.shown(now, live_.shown()->milliseconds, live_.complete());
}

void Viewer::set_picture_size(int width, int height) {
  picture_width_ = std::max(1, width);
  picture_height_ = std::max(1, height);
}

std::array<int, 2> Viewer::picture_size(const State& state) const {
  const float scale = content_scale_ * float(state.ui_scale);
  const Area area = arrange(state.layout, float(state.width), float(state.height), scale).picture;
  return {int(area.width), int(area.height)};
}

bool Viewer::animating(double now) const {
  // What the last frame was asked for by the mouse waits for the next one.
  return !pushed_.empty() || (glide_.running(now) && !patient_) || preview_ ||
         (player_ && !player_->finished()) || playing_;
}

bool Viewer::settled() const {
  return !counting() && !reads_files() && !opener_.busy() && !findings_.busy() &&
         !before_opening_ && !opened_scene_.has_value() && live_.complete() &&
         !(glide_.running(now_) && !patient_);
}

bool Viewer::idle() const {
  return (!player_ || player_->finished()) && pushed_.empty() && !waits_ && !working() &&
         !counting() && log_mail_.empty() && deeds_.empty() && !preview_ && live_.complete();
}

std::optional<Light> Viewer::take_light() {
  return std::exchange(light_, {});
}

render::ToneCurve Viewer::curve() const {
  render::ToneCurve curve;
  if (live_.shown()) curve = live_.shown()->curve;
  if (state_.tone.softening) curve.softening = *state_.tone.softening;
  if (state_.tone.white) curve.white = *state_.tone.white;
  return curve;
}

double Viewer::exposure() const {
  return std::exp2(preview_shown_ ? preview_shown_->exposure_ev : state_.tone.exposure_ev);
}

PanelInput Viewer::panel_input(float scale) {
  memory_.hovered_type.reset();
  memory_.stripes_move = false;
  picture_.curve = curve();
  // The color bar is that of the moment which the preview shows.
  if (preview_shown_) {
    previewed_ = state_;
    previewed_.types = seen_types();
  }
  return {preview_shown_ ? previewed_ : state_,
          scene_ ? &scene_->model : nullptr,
          findings_.of(state_.shown_finder).get(),
          live_.shown() ? &picture_ : nullptr,
          {opener_.status(), findings_.status(), exporter_->status(), counter_.status()},
          log_,
          memory_,
          recent_,
          [this](const std::string& line) { push(line); },
          scale,
          facts_ ? &*facts_ : nullptr,
          counter_.shown().count.get(),
          counter_.shown().fault,
          notice_ ? notice_->text : std::string(),
          !notice_ || notice_->fault,
          [this](const std::string& fault) { tell(true, fault); },
          wanted_colors(),
          &series_.moments(),
          &folder_.model()};
}

PanelInput Viewer::layer_input(const OverlayOrder& order, const PictureFacts& picture,
                               float scale) {
  return {order.state,
          &order.scene->model,
          order.finding.get(),
          &picture,
          {},
          log_,
          memory_,
          {},
          [](const std::string&) {},
          scale,
          nullptr,
          nullptr,
          {},
          {},
          true,
          {},
          order.colors};
}

std::string Viewer::title() const {
  const std::string& snapshot = state_.snapshot();
  if (snapshot.empty()) return "haloscope";
  return std::filesystem::path(snapshot).filename().string() + " - haloscope";
}

std::optional<std::array<int, 2>> Viewer::take_resize() {
  return std::exchange(resize_, {});
}

std::optional<std::string> Viewer::take_clipboard() {
  return std::exchange(clipboard_, {});
}

void Viewer::set_clipboard_source(std::function<std::string()> source) {
  clipboard_source_ = std::move(source);
}

}  // namespace haloscope::app::viewer
