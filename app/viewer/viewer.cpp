#include "app/viewer/viewer.h"

#include "app/viewer/frame/frame_parts.h"
#include "app/viewer/panels/page_words.h"
#include "core/version.h"
#include "render/film/film_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

namespace haloscope::app::viewer {

namespace {

using session::State;

constexpr std::size_t kLogLines = 2000;

}  // namespace

Viewer::Viewer(render::RenderRequest base, std::function<void()> wake)
    : base_(std::move(base)),
      live_(wake, [this](const std::string& fault) { faults_.add(fault); }),
      exporter_(
          wake, [this](const std::string& sentence) { log_mail_.add(sentence); },
          [this](const std::string& deed, const std::string& path) {
            if (!path.empty()) written_.add(path);
            deeds_.add({deed, path});
          },
          [this](const std::string& fault) { fail_job(fault); }),
      findings_(wake, [this](const std::string& fault) { fail_job(fault); }),
      counter_(wake),
      sets_(wake),
      follower_(wake, [this](const std::string& fault) { faults_.add(fault); }),
      profiler_(wake),
      phaser_(wake),
      comparer_(wake),
      opener_(wake, [this](const std::string& fault) { fail_job(fault); }),
      probe_(wake, [this](const std::string& fault) { faults_.add(fault); }),
      pick_(wake, [this](const std::string& fault) { faults_.add(fault); }),
      ruler_probe_(wake, [this](const std::string& fault) { faults_.add(fault); }),
      cursor_(wake),
      series_(wake),
      folder_(wake),
      typed_folder_(wake),
      tasks_({
          {&exporter_, {.command = true, .end = true, .series = true}, session::JobKind::Export},
          {&findings_,
           {.command = true, .end = true, .series = true, .shot = true},
           session::JobKind::Find},
          {&counter_, {.command = true, .end = true, .shot = true}, session::JobKind::Count},
          {&sets_,
           {.command = true, .end = true, .series = true, .shot = true},
           session::JobKind::Sets},
          {&follower_, {.command = true, .end = true, .series = true, .shot = true}, {}},
          {&profiler_, {.command = true, .end = true, .shot = true}, session::JobKind::Profile},
          {&phaser_, {.command = true, .end = true, .shot = true}, session::JobKind::Phase},
          {&comparer_, {.command = true, .end = true, .shot = true}, session::JobKind::Compare},
          {&opener_,
           {.command = true, .end = true, .series = true, .shot = true},
           session::JobKind::Open},
          {&live_, {.end = true, .series = true, .shot = true}, {}},
          {&series_, {.shot = true}, {}},
          {&folder_, {.shot = true}, {}},
          {&typed_folder_, {.shot = true}, {}},
          {&probe_, {}, {}},
          {&pick_, {}, {}},
          {&ruler_probe_, {}, {}},
          {&cursor_, {}, {}},
      }) {
  // A film in one file could not be written.
  if (!render::Encoder::is_installed()) memory_.film_file = {"frames/%05d.png"};
}

Viewer::~Viewer() = default;

void Viewer::stop() {
  tasks_.stop();
  if (driven_) driven_->stop_waking();
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

void Viewer::note_in_log(bool warning, const std::string& text) {
  if (log_.size() >= kLogLines) log_.erase(log_.begin(), log_.begin() + kLogLines / 2);
  log_.push_back({warning, text});
}

void Viewer::tell(bool warning, const std::string& text) {
  tell(warning, text, text);
}

void Viewer::tell(bool warning, const std::string& text, const std::string& seen) {
  note_in_log(warning, seen);
  // What is seen beside the line for commands is not told over the picture once more.
  const bool shown = entered_.tell(warning, seen) && is_open("commands");
  if (warning && !shown) show_notice(true, seen);
  if (driven_ && !warning) driven_->say(text);
  if (on_said_) on_said_(warning, text);
}

void Viewer::fail_job(const std::string& fault) {
  faults_.add(line_.empty() ? fault : Error(fault, line_).what());
}

void Viewer::update(double now) {
  now_ = now;
  end_old_notice();
  take_results();
  // The first fault is told, not that of a later command which fails because of it.
  throw_first_fault();
  want_measurements();
  want_sets();
  play_recording(now);
  run_commands();
  run_entered();
  obey_program();
  play_series();
  reload_fields();
  tell_colors();
  want_count();
  want_sets();
  want_measurements();
  want_picture(now);
  show_cursor_picture();
  measure_findings(now);
  want_files();
  answer_program();
  end_entered();
  throw_first_fault();
}

void Viewer::throw_first_fault() const {
  if (headless_ && !keeps_going_ && first_fault_) throw Error(*first_fault_);
}

// The picture in full comes first: to measure what was taken keeps the GPU and all cores busy.
// While the camera moves there is no picture in full: then the measuring waits for kLongestWait at
// most.
void Viewer::measure_findings(double now) {
  constexpr double kLongestWait = 1;  // s
  const bool has_waited = !live_.draws_in_full() && now - pieces_shown_at_ > kLongestWait;
  if (patient_ || !live_.busy() || has_waited) findings_.measure();
}

// ---- results of tasks

void Viewer::take_results() {
  take_scene();
  take_findings();
  take_count();
  take_sets();
  take_measurements();
  exporter_.receive();
  live_.receive();
  if (const auto seen = probe_.receive(); seen && *seen)
    push(fmt::format("glide_to {} {} {}", (**seen)[0], (**seen)[1], (**seen)[2]));
  if (const auto seen = pick_.receive()) select_at(*seen);
  if (const auto seen = ruler_probe_.receive()) take_ruler_end(*seen);
  cursor_.receive();
  for (const auto& sentence : log_mail_.take()) tell(false, sentence);
  for (const auto& deed : deeds_.take()) announce(deed);
  take_written();
  for (const auto& fault : faults_.take()) {
    // The program that has brought it about is told, and goes on.
    if (driven_ && driven_->owes()) {
      driven_->fail_job(fault);
      note_in_log(true, fault);
      show_notice(true, fault);
      continue;
    }
    tell(true, fault);
    if (!first_fault_) first_fault_ = fault;
  }
  // A search that failed or was cancelled. Findings of before an opening may still come back.
  if (!opener_.opening() && !findings_.busy())
    for (auto& [finder, finding] : state_.findings) {
      auto shown = findings_.of(finder);
      if (shown && !shown->measured && !findings_.seeks(finder, shown->options)) {
        // Nobody measures it any more: what was found before takes its place.
        findings_.hide(finder);
        shown = findings_.coming_back(state_.snapshot(), finder, shown->options);
        if (shown) show_finding(shown);
      }
      if (!shown && finding.searched) {
        shown = findings_.coming_back(state_.snapshot(), finder, finding.options);
        if (shown) show_finding(shown);
      }
      // What was to be found in its place was cancelled, or has failed: what was listed before is
      // listed again.
      const bool in_vain = finding.searched && (!shown || finding.options != shown->options);
      if (in_vain && finder == state_.shown_finder &&
          listed_before_.snapshot == state_.snapshot() && findings_.of(listed_before_.finder))
        state_.shown_finder = listed_before_.finder;
      if (shown && finding.searched) finding.options = shown->options;
      if (!shown) finding.searched = false;
    }
  take_back();
}

void Viewer::take_scene() {
  if (!opener_.receive()) return;
  const SceneModel& model = *opener_.model();
  findings_.arrive();
  // The same snapshot may have been written again.
  for (Measurer* measurer : {&profiler_, &phaser_, &comparer_}) measurer->forget_changed();
  if (notice_ && notice_->snapshot != model.path) notice_.reset();
  if (!state_.camera)
    state_.camera = session::first_camera(model.bounds, picture_width_, picture_height_);
  live_.set_scene(opener_.scene());
  if (std::exchange(brings_back_findings_, false)) bring_back_findings();
  for (const auto& sentence : sentences_of(model.info.assumed)) tell(false, sentence);
  for (const auto& sentence : model.sentences) tell(false, sentence);
  if (opened_) opened_(model.path, state_.snapshots);
}

// After a reading that failed or was cancelled: back to what was there.
void Viewer::take_back() {
  const auto before = opener_.take_failed();
  if (!before) return;
  brings_back_findings_ = false;
  take_back_opening(*before, state_);
  findings_.come_back();
  playing_ = false;
  if (opener_.scene()) return;
  // It was given up for the one that could not be read: the start page.
  state_.snapshots.clear();
  state_.current = 0;
  state_.selection = {};
  state_.sets.clear();
  state_.show_sets = analysis::ShowSets::Off;
  state_.follow.clear();
  for (auto& [finder, finding] : state_.findings) finding.searched = false;
  live_.clear();
  findings_.clear();
}

// ---- commands

void Viewer::run_line(const session::Call& call) {
  last_good_ = state_;
  session::run_command(call, state_, *this);
  history_.note(call, last_good_, state_, now_);
  if (recorder_) recorder_->record(session::as_recorded(call, state_), now_);
}

// Writes into the recording that a button is held, once something is done meanwhile, and that it
// was let go.
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
      run_by_hand(call);
    } catch (const std::exception& error) {
      tell(true, in_words_of_pages(call, error.what()));
    }
  }
}

bool Viewer::busy(bool AwaitedBy::*who) const {
  return tasks_.busy(who) || goes_back() || !faults_.empty();
}

void Viewer::play_recording(double now) {
  if (waits_ && !busy(&AwaitedBy::end) && !playing_ && !seen_.previewing()) waits_ = false;
  if (player_ && player_->finished() && !busy(&AwaitedBy::command)) line_.clear();
  while (player_ && !player_->finished() && !busy(&AwaitedBy::command) && !waits_ && !done_) {
    // All but other fields are of a picture with the one that was asked for.
    if (opener_.needs_fields(state_) && player_->next().call.command->name != "field") return;
    const double clock = by_clock_ ? now - player_began_ : player_->next_seconds();
    last_good_ = state_;
    const session::RecordedCall next = player_->next();
    line_ = next.of_file ? next.where : std::string();
    try {
      if (!player_->run_one_due(clock, state_, *this)) return;
      history_.note(next.call, last_good_, state_, next.seconds);
      if (recorder_) recorder_->record(session::as_recorded(next.call, state_), now_);
      // What the user does is timed by another clock.
      if (player_->finished()) {
        history_.rest();
        findings_.set_dragging(false);
      }
      want_count();
      want_sets();
      want_measurements();
    } catch (const Error& error) {
      if (headless_ && !keeps_going_) throw;
      tell(true, error.what());
    }
  }
}

// Opens the next snapshot of a series that plays, as soon as this one was seen.
void Viewer::play_series() {
  if (!playing_ || busy(&AwaitedBy::series)) return;
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
  if (!opener_.needs_fields(state_)) return;
  last_good_ = opener_.with_open_fields(state_);
  open_snapshot(state_);
}

void Viewer::want_picture(double now) {
  const SceneModel* const model = opener_.model();
  if (!model || (headless_ && opener_.opening())) return;
  // Of a state or a view that says nothing of the camera.
  if (!state_.camera && !opener_.opening())
    state_.camera = session::first_camera(model->bounds, picture_width_, picture_height_);
  if (!state_.camera) return;
  // The last picture stays until the field of the map is there.
  if (!opener_.has_map(state_)) return;
  const session::Camera camera =
      seen_.begin_frame(state_, opener_.facts(), !patient_, now, followed_middle());
  if (const auto seconds = seen_.path_seconds()) memory_.play_head = seconds;
  LivePicture::Wanted wanted{
      camera,          picture_width_, picture_height_,    seen_.types(state_, opener_.facts()),
      wanted_colors(), state_.slab,    shown_sets(state_), state_.map};
  // A map is one picture, whatever its colors and those of light are.
  wanted.map.color = {};
  if (state_.map.shown) {
    wanted.colors = {};
    wanted.sets = {};
  } else {
    wanted.map = {};
  }
  live_.want(wanted, now, patient_);
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
  return !pushed_.empty() || !waiting_lines_.empty() || program_waits() ||
         (seen_.gliding(now) && !patient_) || seen_.previewing() ||
         (player_ && !player_->finished()) || playing_;
}

bool Viewer::settled() const {
  return !tasks_.busy(&AwaitedBy::shot) && !goes_back() && !(seen_.gliding(now_) && !patient_);
}

bool Viewer::idle() const {
  return (!player_ || player_->finished()) && pushed_.empty() && waiting_lines_.empty() &&
         !waits_ && !busy(&AwaitedBy::end) && log_mail_.empty() && deeds_.empty() &&
         !seen_.previewing() && (!driven_ || driven_->ended());
}

render::ToneCurve Viewer::curve() const {
  render::ToneCurve curve;
  if (live_.shown()) curve = live_.shown()->curve;
  if (state_.tone.softening) curve.softening = *state_.tone.softening;
  if (state_.tone.white) curve.white = *state_.tone.white;
  return curve;
}

compute::splotch::Ranging Viewer::map_color() const {
  const auto& shown = live_.shown();
  return render::map_color(
      state_.map, shown && shown->map_color ? *shown->map_color : compute::splotch::Ranging());
}

double Viewer::exposure() const {
  return std::exp2(seen_.exposure_ev(state_));
}

PanelInput Viewer::panel_input(float scale) {
  memory_.hovered_type.reset();
  memory_.stripes_move = false;
  picture_ = live_.shown();
  if (picture_) picture_->curve = curve();
  const auto listed = findings_.of(state_.shown_finder);
  return {seen_.seen_state(state_, opener_.facts()),
          opener_.model(),
          listed.get(),
          picture_ ? &*picture_ : nullptr,
          tasks_.jobs(),
          log_,
          memory_,
          recent_,
          [this](const std::string& line) { push(line); },
          scale,
          opener_.facts(),
          counter_.shown().count.get(),
          counter_.shown().fault,
          notice_ ? notice_->text : std::string(),
          !notice_ || notice_->fault,
          [this](const std::string& fault) { tell(true, fault); },
          wanted_colors(),
          &series_.moments(),
          &folder_.model(),
          slice(),
          slices_.facts(gridded()),
          brushed_.of(listed, state_.shown()),
          profiler_.shown(),
          phaser_.shown(),
          comparer_.shown(),
          sets_.shown(),
          sets_.is_known(),
          compared().get(),
          {[this](const std::string& line) { enter(line); }, typed_lines_, &entered_.all(),
           &typed_folder_.model()},
          choices_,
          path_time(),
          1,
          listed && findings_.before(state_.snapshot(), listed->finder, listed->options),
          picture_size(state_)};
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
