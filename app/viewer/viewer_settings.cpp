#include "app/viewer/viewer.h"

#include <utility>

// What the user wants of every session. A recording, or a program that drives the session, changes
// it for this session alone.
namespace haloscope::app::viewer {

void Viewer::set_choices(const session::UserChoices& choices,
                         std::function<void(const session::UserChoices&)> chosen,
                         std::function<void(session::Remembered)> forgets) {
  choices_ = choices;
  on_chosen_ = std::move(chosen);
  on_forget_ = std::move(forgets);
  if (base_.keep_lengths == io::KeepLengths::Nowhere) return;  // --no-cache
  base_.keep_lengths = choices.keep_lengths;
}

void Viewer::run_by_hand(const session::Call& call) {
  by_hand_ = true;
  try {
    run_line(call);
  } catch (...) {
    by_hand_ = false;
    throw;
  }
  by_hand_ = false;
}

void Viewer::choose(const session::UserChoices& choices) {
  if (choices.keep_lengths != choices_.keep_lengths) base_.keep_lengths = choices.keep_lengths;
  choices_ = choices;
  if (by_hand_ && on_chosen_) on_chosen_(choices_);
}

void Viewer::forget(session::Remembered what) {
  if (what == session::Remembered::Files)
    recent_.clear();
  else
    typed_lines_.clear();
  if (by_hand_ && on_forget_) on_forget_(what);
}

}  // namespace haloscope::app::viewer
