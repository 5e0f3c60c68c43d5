#pragma once

#include "app/session/command_table.h"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

// What commands have changed, step by step, so that it can be undone and done again. A step is one
// command, one motion of the camera between two rests, or all that was done between `one_step on`
// and `one_step off`. Steps end by the times of a recording alone, so that its replay undoes the
// same, however fast it is played.
//
// Outside of it stays what is no work: the window's size, letters and layout, and which snapshot of
// the series is shown, so that going back reads no other file; only a step that chose a snapshot by
// its number goes back to the one before. A step of other files than those that are open ends the
// walk, and is reached again when they are.
namespace haloscope::app::session {

class History {
 public:
  static constexpr std::size_t kSteps = 200;
  // Longer than the pauses between the notches of a wheel, shorter than a thought, s.
  static constexpr double kRest = 0.5;

  struct Step {
    State state;        // to go on with
    std::string words;  // what was undone or done again
  };

  // A command has made `after` of `before` at that time, in seconds.
  void note(const Call& call, const State& before, const State& after, double seconds);
  // From `on` to off, or to on again, all is one step.
  void one_step(bool on);
  // What comes next is another step. Ends one_step too: of a recording that broke off.
  void rest();

  // Nothing: there is no step, or it is one of other files.
  std::optional<Step> undo(const State& now) { return walk(past_, future_, now); }
  std::optional<Step> redo(const State& now) { return walk(future_, past_, now); }

  std::size_t steps() const { return past_.size(); }

 private:
  struct Entry {
    State state;  // on the other side of the step
    std::vector<std::string> lines;
    bool motion = false;
    bool snapshot = false;  // another one was chosen in it
  };
  std::optional<Step> walk(std::deque<Entry>& from, std::deque<Entry>& to, const State& now);
  bool goes_on(const Call& call, double seconds) const;

  std::deque<Entry> past_, future_;  // the nearest last
  bool open_ = false;                // the last step may go on
  bool in_one_ = false;              // between one_step on and off
  double last_ = 0;                  // seconds, of the last command
};

}  // namespace haloscope::app::session
