#pragma once

#include "analysis/finding.h"
#include "analysis/plot.h"
#include "app/session/camera_motion.h"
#include "app/session/state.h"
#include "app/session/user_choices.h"
#include "render/camera.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace haloscope::app::session {

// What commands need to know of the snapshot that is open.
struct SceneFacts {
  bool open = false;
  render::Bounds bounds;  // what the first picture shows
  bool periodic = false;
  Vec box_origin{0, 0, 0};
  double box_size = 0;  // 0: none
  std::vector<int> types;
  std::set<int> hidden_at_first;                   // of them
  std::map<int, std::vector<std::string>> fields;  // of each type, those that can be a color
  std::map<int, Transform> scales;                 // of each type's color, where nobody chose one
  std::map<int, std::vector<std::string>> colors = {};  // of each type, fields that are colors
  std::optional<Transform> map_scale = {};              // that a map has where nobody chose one
  // By finder, the fields that were found and the scales of their colors, where nobody chose one.
  std::map<std::string, std::map<std::string, Transform>> finding_fields;
  std::vector<std::string> plots;                          // of what is listed
  std::map<std::string, std::uint64_t> piece_counts = {};  // by finder, of what was found
  // By finder, the branches of what was found; empty: it has none.
  std::map<std::string, std::shared_ptr<const analysis::FoundBranches>> branches = {};
  // Of what finder_with_grid() has found: where its grid lies, code units, and the scale of its
  // slice, where nobody chose one; none: nothing was found.
  struct GridFacts {
    render::Bounds bounds;
    Transform scale = Transform::Linear;
  };
  std::optional<GridFacts> grid = {};
  // By finder, the options of the search before the one that is shown; none: there was none.
  std::map<std::string, analysis::AnyOptions> searched_before = {};
  std::set<std::string> plots_of_pairs = {};  // finders whose pieces a rectangle can select
  const SnapshotInfo* info = nullptr;         // while the command runs; null: being read
  // By name, plots of what is listed and measured whose parts mean particles.
  std::map<std::string, analysis::PlotParticles> brushable = {};
  // Pixels of the picture in a window of a state's size and layout; empty: the whole window.
  std::function<std::array<int, 2>(const State&)> picture_size = {};
  std::string recording = {};  // the file that the session is written to; empty: to none
};

struct StillRequest {
  std::string path;
  int width = 0, height = 0;  // 0: the state's
  bool overlays = true;
  bool transparent = false;
  bool window = false;     // all of the window, with its panels
  bool overwrite = false;  // also a file of others
};

struct FilmRequest {
  std::string path;  // frames/%05d.png or film.mp4
  double fps = 30;
  int width = 0, height = 0;            // 0: the state's
  std::optional<std::uint64_t> frames;  // only the first so many
  bool overlays = true;
  bool overwrite = false;  // also files of others
};

// Jobs that can be stopped by their name.
enum class JobKind { Open, Find, Export, Count, Profile, Phase, Sets, Compare };

// What a program that drives the session wants to know (the command `tell`).
struct Question {
  std::string what;                          // one of told_words()
  std::string finder;                        // whose structures
  std::optional<std::uint64_t> number = {};  // of a piece; none: the selected one
  std::optional<PicturePoint> at = {};       // where the map's value is asked for
};
const std::vector<std::string>& told_words();

// What is kept from one start of the window to the next, beside settings.
enum class Remembered { Files, Commands };

// What commands ask for beyond the state: reading, searching, writing. The window, a headless run
// and the tests' double implement it. Each may return before the work is done (wait() waits) and
// throws Error when it cannot even begin. `state` is already what the command has made of it.
class SessionActions {
 public:
  virtual ~SessionActions() = default;

  virtual SceneFacts scene() const = 0;
  // Piece `number` (from 0) of what a finder has found; nothing when there is none.
  virtual std::optional<analysis::PiecePlace> piece(const std::string& finder,
                                                    std::uint64_t number) const = 0;

  // Reads state.snapshot().
  virtual void open_snapshot(const State& state) = 0;
  virtual void play_snapshots(bool on) = 0;
  virtual bool playing() const = 0;
  // By the finder's options in the state.
  virtual void find(const State& state, const std::string& finder) = 0;
  virtual void export_finding(const std::string& finder, const std::string& path,
                              bool overwrite) = 0;
  // The plot of that name, as the extension says: .csv, .svg or .png.
  virtual void export_plot(const std::string& finder, const std::string& name,
                           const std::string& path, bool overwrite) = 0;
  virtual void
  measure_again() = 0;  // what was stopped, has failed or is of files that have changed
  virtual void count_selection() = 0;  // once more: every new selection is counted by itself
  virtual void gather_sets() = 0;      // who is in them, also after that was stopped or failed
  virtual void export_selection(const State& state, const std::string& path, bool overwrite) = 0;
  virtual void export_still(const State& state, const StillRequest& request) = 0;
  virtual void export_frames(const State& state, const FilmRequest& request) = 0;
  virtual void preview_path(const State& state) = 0;
  virtual void cancel() = 0;                  // the job that runs
  virtual void cancel_job(JobKind kind) = 0;  // whatever else runs
  virtual void wait() = 0;                    // until no job runs and the picture is complete

  // Give the state that was there before the last step, or after the one that was undone, and say
  // which. Throw Error where there is none.
  virtual void undo(State& state) = 0;
  virtual void redo(State& state) = 0;
  virtual void one_step(bool on) = 0;  // what follows, until it is off, is undone together

  // From where the camera was; the state's camera is where the glide ends.
  virtual void glide_from(const Camera& from) = 0;

  // The middle of the set that the camera follows, in the snapshot that is open; nothing: it
  // follows none, or where that is is not known yet.
  virtual std::optional<Vec> followed_middle() const = 0;
  // The state shows what the path shows at this time.
  virtual void set_play_head(double seconds) = 0;
  virtual void set_clipboard(const std::string& text) = 0;
  virtual std::string clipboard() const = 0;
  virtual void resize(int width, int height) = 0;
  virtual void toggle_panel(const std::string& name) = 0;
  virtual const UserChoices& choices() const = 0;
  // They hold from now on, and in later sessions where the user himself has chosen.
  virtual void choose(const UserChoices& choices) = 0;
  virtual void forget(Remembered what) = 0;
  virtual void say(const std::string& sentence) = 0;  // log
  // The log, and for some seconds over the picture: what a key has done.
  virtual void announce(const std::string& sentence) = 0;
  // As announce() does, and that this file is there now.
  virtual void wrote(const std::string& path) = 0;
  // The answer goes to the program that asks, else to the log.
  virtual void tell_of(const State& state, const Question& question) = 0;
  virtual void quit() = 0;
};

}  // namespace haloscope::app::session
