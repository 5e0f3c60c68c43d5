#pragma once

#include "analysis/particle_colors.h"
#include "app/session/history.h"
#include "app/session/recording.h"
#include "app/session/session_actions.h"
#include "app/viewer/brushed_pieces.h"
#include "app/viewer/cursor_sight.h"
#include "app/viewer/cursor_values.h"
#include "app/viewer/entered_lines.h"
#include "app/viewer/exporter.h"
#include "app/viewer/faults.h"
#include "app/viewer/live_picture.h"
#include "app/viewer/open_findings.h"
#include "app/viewer/panels/panel_input.h"
#include "app/viewer/remote/driven_session.h"
#include "app/viewer/remote/told_values.h"
#include "app/viewer/seen_moment.h"
#include "app/viewer/selection_counter.h"
#include "app/viewer/set_follower.h"
#include "app/viewer/set_keeper.h"
#include "app/viewer/slice_source.h"
#include "app/viewer/snapshot_opener.h"
#include "app/viewer/tasks/measurer.h"
#include "app/viewer/tasks/point_probe.h"
#include "app/viewer/tasks/task_list.h"
#include "render/scene/render_request.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// A session: the state on screen, the commands that change it, and the jobs that read, draw, search
// and write for it, each a task with a class of its own. It knows no window: a loop calls update()
// once per frame and shows what comes. All calls are the user interface's thread's; none waits for
// a job.
class Viewer final : public session::SessionActions {
 public:
  // `base`: what the command line says beside the state (units, selection, device, neighbors).
  // `wake` is called from any thread when update() shall be called.
  Viewer(render::RenderRequest base, std::function<void()> wake);
  ~Viewer() override;

  // Commands of a file. `by_clock`: at their times, to be watched; else as fast as they can be
  // done. Each begins when the jobs of those before it are done.
  void play(std::vector<session::RecordedCall> calls, bool by_clock);
  // Writes down what is done from now on. Throws Error where it cannot.
  void record(const std::string& path);
  // Another program drives the session beside the user: its lines come from there, and each is
  // answered there. They begin when the commands of files are done.
  void drive_by(Exchange& exchange);
  // Whether it waits for the next update().
  bool program_waits() const;
  // What the user did; it is run by the next update().
  void push(const std::string& line);
  // The same of a line that was entered in the line for commands, where its results are shown.
  void enter(const std::string& line);
  // Whether a button of the mouse is held: what is done until it is let go is one step of undo.
  void set_held(bool held) { held_ = held; }
  // Nobody watches: pictures are drawn in full at once, nothing glides, a fault ends the session.
  void set_headless() { headless_ = patient_ = true; }
  // Headless, but drawn as if somebody watched.
  void set_patient(bool on) { patient_ = on; }
  // Headless: faults are told, and the session goes on.
  void set_keep_going() { keeps_going_ = true; }

  // One frame: takes the results of jobs, runs commands, asks for a picture. `now`: seconds, never
  // going back. Headless: throws the first Error of a command or job, unless it keeps going.
  void update(double now);
  // The GPU that draws the window, where the driver tells; call before anything is opened.
  void set_window_gpu(const std::optional<compute::GpuId>& gpu) { base_.compute.window_gpu = gpu; }
  // A command has asked for another size of the window, which has not come yet.
  void set_resizing(bool on) { resizing_ = on; }
  // Size of the picture in the window, pixels.
  void set_picture_size(int width, int height);
  // Pixels per point where the state says nothing: the display's.
  void set_content_scale(float scale) { content_scale_ = scale; }
  float content_scale() const { return content_scale_; }
  // Whether something moves by itself, so that the next frame must follow at once.
  bool animating(double now) const;
  // Until when the loop may sleep if nothing happens; nothing: forever.
  std::optional<double> wake_at() const;
  // What is asked for is on screen, and no job but exports is under way.
  bool settled() const;
  // Nothing is left to do.
  bool idle() const;
  bool done() const { return done_; }
  // Ends all jobs; call before what `wake` wakes is gone.
  void stop();

  const session::State& state() const { return state_; }
  // The picture that has come since the last call.
  std::optional<Light> take_light() { return live_.take_light(); }
  // What draws the snapshot that is open, and whether pictures that a GPU draws shall stay there.
  compute::Device device() const {
    return opener_.model() ? opener_.model()->device : compute::Device::cpu();
  }
  void keep_on_device(bool on) { live_.keep_on_device(on); }
  // What update() asked for last; call when the frame is on screen. To be written to a file.
  void note_frame(double now) { live_.note_frame(now); }
  const FrameLog& frame_log() const { return live_.frame_log(); }
  // The particle type that keys mean, as commands take it.
  std::string chosen_type() const;
  bool has_picture() const { return live_.shown().has_value(); }
  bool is_open(const std::string& panel) const {
    const auto known = memory_.open.find(panel);
    return known != memory_.open.end() && known->second;
  }
  const std::map<std::string, bool>& open_sheets() const { return memory_.open; }
  // Brings what is seen at a place of the picture to its middle, once its depth is known.
  void center_on(session::PicturePoint at);
  // Selects the piece that the point seen there lies in, once that is known; where no light is or
  // no piece, none. Nothing changes while pieces are not measured.
  void select_seen(session::PicturePoint at);
  // The point that is seen at a place of the picture, what is there, and the structure around it,
  // in words; what is looked for in depth comes a moment later. Empty: nothing is known.
  std::string under_cursor(session::PicturePoint at);
  // Lays the ruler from what is seen at one place to what is seen at the other.
  void measure_seen(session::PicturePoint from, session::PicturePoint to);
  // Tone curve and factor of what is on screen.
  render::ToneCurve curve() const;
  double exposure() const;
  // The map that is on screen in place of light, and its scale and limits; null: light is.
  std::shared_ptr<const render::MapPicture> map() const {
    return live_.shown() ? live_.shown()->map : nullptr;
  }
  compute::splotch::Ranging map_color() const;
  // What lies over the picture, and the camera of the picture that is on screen.
  render::ShownSlice slice() const;
  const session::Camera& shown_camera() const { return live_.shown()->camera; }
  // What panels and overlays show; valid until the next update().
  PanelInput panel_input(float scale);
  // Pictures that wait for overlays or a picture of the whole window.
  Exporter& exporter() { return exporter_; }
  // The window's size where a command has changed it since the last call.
  std::optional<std::array<int, 2>> take_resize();
  // Text for the system's clipboard since the last call; `clipboard_source` reads it.
  std::optional<std::string> take_clipboard();
  void set_clipboard_source(std::function<std::string()> source);
  std::string title() const;
  void set_scale(double ui_scale) { state_.ui_scale = ui_scale; }
  // Of the window that is to be opened, pixels.
  void set_start_size(const std::array<int, 2>& size) {
    state_.width = size[0];
    state_.height = size[1];
  }
  // What the user wants of every session; `chosen` is called where the user himself wants it else
  // from now on. Of smoothing lengths the command line comes first.
  void set_choices(const session::UserChoices& choices,
                   std::function<void(const session::UserChoices&)> chosen,
                   std::function<void(session::Remembered)> forgets);
  void set_recent(std::vector<std::string> files) { recent_ = std::move(files); }
  // Lines that were entered in the line for commands before; `entered` is called with each new one.
  void set_history(std::vector<std::string> lines,
                   std::function<void(const std::string&)> entered) {
    typed_lines_ = std::move(lines);
    entered_line_ = std::move(entered);
  }
  // Called with each snapshot that was opened.
  // With the snapshot, and the series that it is of.
  using Opened = std::function<void(const std::string&, const std::vector<std::string>&)>;
  void on_opened(Opened opened) { opened_ = std::move(opened); }

  // Called with each line of the log.
  void on_said(std::function<void(bool warning, const std::string&)> said) {
    on_said_ = std::move(said);
  }
  // The user has seen what is shown over the picture.
  void end_notice() { notice_.reset(); }
  // A fault or a sentence for the log, from any thread.
  void fail(const std::string& fault) { faults_.add(fault); }
  void mail(const std::string& sentence) { log_mail_.add(sentence); }

  session::SceneFacts scene() const override;
  std::optional<analysis::PiecePlace> piece(const std::string& finder,
                                            std::uint64_t number) const override;
  void open_snapshot(const session::State& state) override;
  void play_snapshots(bool on) override { playing_ = on; }
  bool playing() const override { return playing_; }
  void find(const session::State& state, const std::string& finder) override;
  void export_finding(const std::string& finder, const std::string& path, bool overwrite) override;
  void export_plot(const std::string& finder, const std::string& name, const std::string& path,
                   bool overwrite) override;
  void measure_again() override {
    profiler_.try_again();
    phaser_.try_again();
    comparer_.try_again();
  }
  void count_selection() override { counter_.forget(); }
  void gather_sets() override {
    if (!sets_.is_known() && !sets_.busy()) sets_.forget();
  }
  void export_selection(const session::State& state, const std::string& path,
                        bool overwrite) override;
  void export_still(const session::State& state, const session::StillRequest& request) override;
  void export_frames(const session::State& state, const session::FilmRequest& request) override;
  void preview_path(const session::State& state) override;
  void cancel() override;
  void cancel_job(session::JobKind kind) override;
  void wait() override { waits_ = true; }
  void undo(session::State& state) override;
  void redo(session::State& state) override;
  void one_step(bool on) override;
  void glide_from(const session::Camera& from) override;
  std::optional<Vec> followed_middle() const override {
    return state_.follow.empty() ? std::nullopt : follower_.middle();
  }
  void set_play_head(double seconds) override { memory_.play_head = seconds; }
  void set_clipboard(const std::string& text) override;
  std::string clipboard() const override;
  void resize(int width, int height) override;
  void toggle_panel(const std::string& name) override;
  const session::UserChoices& choices() const override { return choices_; }
  void choose(const session::UserChoices& choices) override;
  void forget(session::Remembered what) override;
  void say(const std::string& sentence) override;
  void announce(const std::string& sentence) override;
  void wrote(const std::string& path) override;
  void tell_of(const session::State& state, const session::Question& question) override;
  void quit() override { done_ = true; }

 private:
  void tell(bool warning, const std::string& text);
  // `seen`: the same sentence as the window has it.
  void tell(bool warning, const std::string& text, const std::string& seen);
  void announce(const FileNews& news);
  // Of a job that a command has begun: of one of a file with its line.
  void fail_job(const std::string& fault);
  void note_in_log(bool warning, const std::string& text);
  void show_notice(bool fault, const std::string& text);
  void end_old_notice();
  // Without a window: throws the Error of the first fault there was.
  void throw_first_fault() const;
  void take_results();
  void take_scene();
  void take_back();
  void take_findings();
  // None: nothing is open.
  std::optional<DepthRequest> depth_request(session::PicturePoint at);
  void look_at(session::PicturePoint at, PointProbe& probe);
  void take_ruler_end(const std::optional<Vec>& seen);
  std::string structure_in_words(const Vec& point);
  std::optional<MapValue> map_value(session::PicturePoint at) const;
  std::string map_in_words(session::PicturePoint at) const;
  void show_cursor_picture();
  void select_at(const std::optional<Vec>& point);
  void show_finding(OpenFindings::Found finding);
  void show_pieces_of(OpenFindings::Found finding);
  bool find_again(const session::State& state, const std::string& finder);
  void bring_back_findings();
  void show_kept(const session::State& before, session::State& state);
  std::vector<std::string> names_of_plots(const analysis::Finding& found) const;
  OpenFindings::Found require_found(const std::string& finder, const std::string& command) const;
  void walk_to(const session::History::Step& step, session::State& state);
  void glide_after(const session::State& before, const session::State& state);
  void want_files();
  std::optional<double> stripes_at() const;
  void run_commands();
  void run_entered();
  void end_entered();
  void run_line(const session::Call& call);
  void run_by_hand(const session::Call& call);
  void tell_held();
  void obey_program();
  bool do_line(const CommandLine& line);
  void answer_program();
  bool at_rest() const;
  bool holds_program() const;
  void take_written();
  std::string told(const session::Question& question) const;
  void play_recording(double now);
  void play_series();
  void reload_fields();
  analysis::ParticleColors wanted_colors() const;
  std::shared_ptr<const analysis::Finding> gridded() const;  // whose grid is sliced
  ShownFindings shown_in(const session::State& state) const;
  std::string why_not_colored() const;
  void tell_colors();
  // The selection of a state, with what is known of its pieces and IDs.
  analysis::SelectionRequest selection_of(const session::State& state) const;
  void want_count();
  analysis::SetsRequest sets_request(const session::State& state) const;
  void want_sets();
  void take_sets();
  void tell_of_sets(const analysis::SetMembers& members);
  void follow_set();
  render::ShownSets shown_sets(const session::State& state) const;
  std::string why_no_sets() const;
  void take_count();
  void want_measurements();
  Measurer::Request measuring(const std::string& name, const std::string& line) const;
  void want_profile();
  void want_phase();
  void want_comparison();
  // Of what is listed now; null: it is not known.
  std::shared_ptr<const analysis::ComparedFindings> compared() const;
  void take_measurements();
  void take_back_comparison();
  // The profile and the sums in bins, those that are known.
  std::vector<std::shared_ptr<const analysis::Measurement>> measured() const;
  // Whether a plot of that name was measured.
  bool export_measured_plot(const std::string& name, const std::string& path, bool overwrite);
  std::string path_time() const;
  void want_picture(double now);
  void measure_findings(double now);
  // Whether somebody must wait for a task, or for what one of them has to tell.
  bool busy(bool AwaitedBy::*who) const;
  // A comparison was stopped, and the one before it comes back with the next update().
  bool goes_back() const { return state_.compared && comparer_.was_stopped(); }
  std::array<int, 2> picture_size(const session::State& state) const;

  render::RenderRequest base_;
  session::State state_;
  bool headless_ = false, patient_ = false, done_ = false, keeps_going_ = false;
  double now_ = 0;
  double pieces_shown_at_ = 0;
  std::optional<std::string> first_fault_;

  session::State last_good_;           // before the command that runs
  bool brings_back_findings_ = false;  // when the snapshot that is being read is there

  session::History history_;
  bool held_ = false, told_held_ = false;
  session::FrameCommands pushed_;
  std::unique_ptr<session::Recorder> recorder_;
  std::optional<session::Player> player_;
  bool by_clock_ = false, waits_ = false;
  std::string line_;  // file and line of the command whose jobs are under way; empty: of no file
  double player_began_ = 0;

  std::unique_ptr<DrivenSession> driven_;  // null: nobody drives it but the user
  bool obeys_ = false;                     // its lines may begin
  bool asks_ = false;                      // the command that runs is the program's
  bool resizing_ = false;

  SeenMoment seen_;
  bool playing_ = false;
  int picture_width_ = 1, picture_height_ = 1;
  float content_scale_ = 1;
  std::optional<PictureFacts> picture_;  // on screen, with the tone curve of the state
  std::string told_colors_, told_sets_;
  PanelMemory memory_;
  std::vector<LogLine> log_;
  // The last fault, or what a key has done, shown over the picture for a while.
  struct Notice {
    std::string text;
    bool fault = true;
    double until = 0;
    std::string snapshot;  // that it was told of
  };
  std::optional<Notice> notice_;
  std::vector<std::string> recent_;
  Opened opened_;
  std::vector<std::string> typed_lines_, waiting_lines_;  // for commands; those not begun yet
  std::function<void(const std::string&)> entered_line_;
  EnteredLines entered_;
  session::UserChoices choices_;
  std::function<void(const session::UserChoices&)> on_chosen_;
  std::function<void(session::Remembered)> on_forget_;
  bool by_hand_ = false;  // the command that runs is the user's own
  std::function<void(bool, const std::string&)> on_said_;
  std::optional<std::array<int, 2>> resize_;
  std::optional<std::string> clipboard_;
  std::string last_clipboard_;
  std::function<std::string()> clipboard_source_;

  // The tasks last: their threads end first, and use what stands above.
  Faults faults_, log_mail_;
  Mail<FileNews> deeds_;
  Faults written_, pictures_;  // files, and pictures that a program has asked for
  LivePicture live_;
  Exporter exporter_;
  OpenFindings findings_;
  // Whose finding was listed when the last search began: it is listed again where nothing comes of
  // that.
  struct Listed {
    std::string snapshot, finder;
  };
  Listed listed_before_;
  BrushedPieces brushed_;
  mutable SliceSource slices_;  // remembers
  SelectionCounter counter_;
  SetKeeper sets_;
  SetFollower follower_;
  Measurer profiler_, phaser_, comparer_;
  // What was asked for last, and what was measured last, in which snapshot: it is back where the
  // next one fails.
  template <class Asked>
  struct Measured {
    std::optional<Asked> wanted, made;
    std::string snapshot;
    bool again = false;  // after another that failed: what it says was said before
  };
  Measured<session::ProfileState> last_profile_;
  Measured<session::PhaseState> last_phase_;
  bool gives_up_comparison_ = false;                       // that waits for a search
  std::optional<session::ComparedState> compared_before_;  // what comparer_ made last
  SnapshotOpener opener_;
  PointProbe probe_, pick_, ruler_probe_;
  CursorSight cursor_;
  PieceUnderCursor under_cursor_;
  // Of the ruler that the mouse has drawn: its first end, once it is known, and what is asked for
  // its second one.
  std::optional<Vec> ruler_from_;
  std::optional<DepthRequest> ruler_to_;
  struct PickedFrom {
    std::string finder;
    std::optional<std::uint64_t> selected;  // then
  };
  PickedFrom picked_from_;
  SeriesReader series_;
  FolderReader folder_, typed_folder_;  // of the sheet of files, of the line for commands
  TaskList tasks_;
};

}  // namespace haloscope::app::viewer
