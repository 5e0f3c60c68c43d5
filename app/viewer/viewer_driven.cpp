#include "analysis/snapshot/json_text.h"
#include "app/session/command_text.h"
#include "app/session/state_file.h"
#include "app/viewer/remote/told_values.h"
#include "app/viewer/viewer.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <utility>

// A session that another program drives: its lines are done, and answered once they have settled.
namespace haloscope::app::viewer {

using session::Question;
using session::State;

namespace {

// Of a frame, for lines that are answered at once: however many come, the drawing goes on.
constexpr auto kTimeForLines = std::chrono::milliseconds(5);

}  // namespace

void Viewer::drive_by(Exchange& exchange) {
  driven_ = std::make_unique<DrivenSession>(exchange);
}

// Whether all that was asked for is done and on screen.
bool Viewer::at_rest() const {
  return (!player_ || player_->finished()) && pushed_.empty() && waiting_lines_.empty() &&
         !waits_ && !busy(&AwaitedBy::end) && log_mail_.empty() && deeds_.empty() &&
         written_.empty() && pictures_.empty() && !seen_.previewing() && !playing_ && !resizing_ &&
         !(seen_.gliding(now_) && !patient_);
}

bool Viewer::holds_program() const {
  return waits_ || busy(&AwaitedBy::command) || opener_.needs_fields(state_);
}

bool Viewer::program_waits() const {
  if (!driven_) return false;
  if (!obeys_) return driven_->ready() && at_rest();
  // Jobs wake the loop when they are done.
  if (driven_->owes()) return !waits_ && !busy(&AwaitedBy::end);
  return driven_->ready() && !holds_program();
}

void Viewer::obey_program() {
  if (!driven_) return;
  // What the command line has asked for comes first.
  if (!obeys_) obeys_ = at_rest();
  if (!obeys_) return;
  const auto until = std::chrono::steady_clock::now() + kTimeForLines;
  while (!done_ && std::chrono::steady_clock::now() < until) {
    const auto line = driven_->begin(holds_program());
    if (!line) return;
    if (do_line(*line)) driven_->answer_now();
  }
}

// Returns whether there is nothing to wait for.
bool Viewer::do_line(const CommandLine& line) {
  if (!line.fault.empty()) {
    driven_->fail(line.fault);
    return true;
  }
  try {
    if (session::split_words(line.text).empty()) return true;
    const session::Call call = session::parse_command(line.text);
    const std::string& name = call.command->name;
    if (name == "cancel") want_measurements();
    if (name == "cancel" && (tasks_.jobs().any() || playing_ || seen_.previewing()))
      driven_->stop_former();
    asks_ = true;
    run_line(call);
    asks_ = false;
    driven_->ask(question_of(call, state_));
    return name == "quit" || (name == "tell" && !exporter_.busy());
  } catch (const std::exception& error) {
    asks_ = false;
    driven_->fail(error.what());
    note_in_log(true, error.what());
    return true;
  }
}

void Viewer::answer_program() {
  if (!driven_ || !driven_->owes()) return;
  if (!driven_->has_seen_frame() || !at_rest()) return;
  driven_->answer_all([this](const Question& question) -> std::string {
    try {
      return told(question);
    } catch (const Error&) {  // nothing came of it, as was said
      return {};
    }
  });
}

void Viewer::take_written() {
  const auto paths = written_.take();
  const auto pictures = pictures_.take();
  if (!driven_) return;
  for (const auto& path : paths) {
    std::error_code unknown;
    const auto whole = std::filesystem::absolute(path, unknown).lexically_normal();
    driven_->add_file(unknown ? path : whole.string());
  }
  for (const auto& picture : pictures) driven_->give_picture(picture);
}

void Viewer::wrote(const std::string& path) {
  written_.add(path);
  announce(FileNews{"Wrote " + path, path});
}

// In one line of JSON.
std::string Viewer::told(const Question& question) const {
  const std::string asked = "tell " + question.what;
  const SceneModel* const model = opener_.model();
  if (question.what == "state")
    return analysis::json_text({{"state", session::state_text(state_)}}, -1);
  if (!model) throw Error("no snapshot is open", asked, "open FILE first");
  if (question.what == "snapshot") return analysis::json_text(told_snapshot(*model, state_), -1);
  if (question.what == "camera") {
    if (!state_.camera) throw Error("there is no picture yet", asked, "wait for it");
    return analysis::json_text(told_camera(*state_.camera, picture_width_, picture_height_), -1);
  }
  if (question.what == "selection") {
    if (state_.selection.kind == session::SelectionKind::None)
      throw Error("nothing is selected", asked, "select something first");
    const auto count = counter_.shown().count;
    if (!count) throw Error("the selection is not counted", asked, "count_selection counts it");
    return analysis::json_text(told_selection(state_.selection, *count), -1);
  }
  if (question.at) {
    if (!live_.complete() || live_.shown()->camera != state_.camera)
      throw Error("the map is not drawn to its end", "tell_value", "wait for it (wait)");
    return analysis::json_text(told_value(map_value(*question.at)), -1);
  }
  const auto found = require_found(question.finder, asked + " " + question.finder);
  if (question.what == "structures")
    return analysis::json_text(told_structures(*found, state_), -1);
  const auto number = question.number ? question.number : state_.finding(found->finder).selected;
  if (!number) throw Error("none is selected", asked + " " + found->finder, "give its number");
  return analysis::json_text(told_piece(*found, *number), -1);
}

void Viewer::tell_of(const State& state, const Question& question) {
  if (question.at) {
    if (!state.map.shown)
      throw Error("no map is shown", "tell_value", "map gas, or map for all particles, shows one");
    // A program is answered when the map is on screen.
    return asks_ ? void() : say(told(question));
  }
  if (question.what != "picture") {
    const std::string values = told(question);
    return asks_ ? driven_->give(values) : say(values);
  }
  if (!asks_) return say("the picture goes to a program that drives the session (--listen)");
  if (!opener_.scene() || !state.camera) throw Error("no snapshot is open", "tell picture");
  session::StillRequest request;
  const auto [width, height] = picture_size(state);
  request.path = "picture.png";  // the kind, which is written nowhere
  request.width = width;
  request.height = height;
  exporter_.picture(
      opener_.scene(), shown_in(state), state, request, [this, request](const std::string& png) {
        pictures_.add(analysis::json_text(told_picture(png, request.width, request.height), -1));
      });
}

}  // namespace haloscope::app::viewer
