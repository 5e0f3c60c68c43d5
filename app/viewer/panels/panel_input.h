#pragma once

#include "analysis/catalogs/compared_findings.h"
#include "analysis/particle_colors.h"
#include "analysis/selection/selection_count.h"
#include "app/session/session_actions.h"
#include "app/session/state.h"
#include "app/viewer/entered_lines.h"
#include "app/viewer/log_line.h"
#include "app/viewer/panels/command_draft.h"
#include "app/viewer/panels/measure_menu.h"
#include "app/viewer/panels/path_draft.h"
#include "app/viewer/panels/piece_order.h"
#include "app/viewer/panels/search_draft.h"
#include "app/viewer/picture_facts.h"
#include "app/viewer/plots/plot_view.h"
#include "app/viewer/set_keeper.h"
#include "app/viewer/tasks/folder_reader.h"
#include "app/viewer/tasks/measurer.h"
#include "app/viewer/tasks/running_jobs.h"
#include "app/viewer/tasks/scene_model.h"
#include "app/viewer/tasks/series_reader.h"
#include "render/scene/slice_picture.h"

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

// Numbers of the selection panel as they are typed; they follow what is selected.
struct SelectionDraft {
  session::SelectionState typed;
  session::SelectionState of;  // the selection that was last taken over
  std::array<char, 256> field{};
  std::string finder;  // of a field that was found; empty: the snapshot's
};

// A set to be kept or made of two others, as it is typed.
struct SetDraft {
  std::array<char, 48> name{};
  std::array<std::string, 2> operands{"selection", ""};
  int operation = 0;
};

// What is typed and seen of one finder, and of no other.
struct FinderMemory {
  SearchDraft draft;
  int at_least = 0;                       // members of the pieces in the table
  bool brushed_alone = false;             // in the table, those in the rectangle of a plot
  int piece = 0;                          // whose members are to be selected
  std::map<std::string, PlotView> plots;  // by the name that the command export_plot takes
  std::map<std::string, std::array<char, 512>> plot_files;  // by the same; empty: not named yet
  std::array<char, 512> catalog_file{};                     // empty: the same
  std::string cut;  // the last height that was asked for in a drag, as the command has it
};

// What stands in a number's field that has not been left yet.
struct TypedNumber {
  std::string text;
  int frame = 0;  // Dear ImGui's, when the field was last there
};

// Where a color bar stands in the window, pixels, and whose colors it tells.
struct ColorBarPlace {
  std::string target;       // as the command `limits` takes it
  std::optional<int> type;  // of the snapshot's particles
  float left = 0, top = 0, right = 0, bottom = 0;
};

// What the user has typed or chosen in panels but not sent off.
struct PanelMemory {
  std::map<std::string, FinderMemory> finders;  // by name
  FinderMemory measured;                        // of plots of what was measured
  MeasureDraft measure;
  PieceOrder piece_order;
  CommandDraft command;
  std::array<char, 1024> typed_file{};
  std::array<char, 512> path_file{"path.toml"}, still_file{"still.png"}, film_file{"film.mp4"},
      selection_file{"selection.hdf5"};
  std::array<int, 2> still_size{3840, 2160};  // for print
  std::array<int, 2> film_size{1920, 1080};   // for displays
  int still_style = 0;
  double fps = 30;
  bool film_overlays = true;
  bool overwrite = false;  // exports may replace files of others
  std::array<char, 128> bookmark_name{};
  std::map<int, bool> open_types;          // whose looks are unfolded in the panel Particles
  std::optional<int> opened_type;          // the last of them
  std::optional<int> hovered_type;         // its row was under the mouse in the last frame
  std::map<unsigned, TypedNumber> typing;  // by the field's ID
  bool page_waits = false;                 // the start page stays while what it asked for is opened
  bool notice_pressed = false;             // it shall go
  double usual_light = 0;                  // in the middle of the tone curve's sliders
  std::vector<ColorBarPlace> color_bars;   // over the picture, in the last frame
  std::string wanted_limits;               // their fields shall get the keys; empty: none
  int limits_patience = 0;                 // frames that this is still tried for
  int dragged_limit = 0;                   // of a color: 0 the lower one, 1 the upper one
  std::optional<std::size_t> dragged_key;
  std::optional<double> play_head;  // of the path, seconds; none: not used yet
  SelectionDraft selection;
  SetDraft set;
  PathDraft path;                       // of the file to open
  bool path_goes_on = false;            // its field has taken the keys: nothing of it is selected
  std::optional<int> asked_to_open;     // by the sheet of files, in that frame of Dear ImGui's
  std::vector<std::string> seen_files;  // of the folder that is listed, in the last frame
  std::optional<std::size_t> listed_snapshot;  // in view in the list of the series
  float series_wheel = 0;                      // of a notch, that was turned so far
  bool stripes_move = false;                   // in the last frame
  // Sheets above the rest, by the name that the command `panel` takes.
  std::map<std::string, bool> open{
      {"file", false}, {"keys", false}, {"settings", false}, {"commands", false}};
};

// Of the line for commands.
struct CommandLineInput {
  std::function<void(const std::string&)> enter = {};  // a line by its user
  std::vector<std::string> history = {};               // lines that were entered, the last one last
  const std::vector<EnteredLine>* entered = nullptr;   // and what came of them, in this session
  const FolderModel* folder = nullptr;                 // of the path that is being typed
};

// All that panels read. They compute nothing and change nothing: what the user asks for leaves as
// the text of a command.
struct PanelInput {
  const session::State& state;
  const SceneModel* scene = nullptr;           // null: nothing is open
  const analysis::Finding* finding = nullptr;  // that is listed; null: not searched
  const PictureFacts* picture = nullptr;       // null: none yet
  RunningJobs jobs;
  const std::vector<LogLine>& log;
  PanelMemory& memory;
  std::vector<std::string> recent;  // files
  std::function<void(const std::string&)> emit;
  float scale = 1;                             // pixels per point of the style
  const session::SceneFacts* facts = nullptr;  // null: nothing is open
  // Of the selection, where it is known: the count, or why there is none.
  const analysis::SelectionCount* selected = nullptr;
  std::string selection_fault = {};
  std::string notice = {};  // what the user should see now; empty: nothing
  bool notice_is_fault = true;
  std::function<void(const std::string&)> complain = {};  // of what was typed
  analysis::ParticleColors colors = {};                   // that the picture has
  const SeriesMoments* moments = nullptr;                 // of the series, once they are read
  const FolderModel* folder = nullptr;                    // that is listed
  render::ShownSlice slice = {};                          // over the picture
  std::optional<session::SceneFacts::GridFacts> grid =
      {};  // that can be sliced; none: there is none
  // Of the finding, those in the rectangle of its plot of pairs, ascending; null: there is none.
  const std::vector<std::uint64_t>* brushed = nullptr;
  Measurer::Outcome profile = {}, phase = {}, comparison = {};
  SetKeeper::Outcome sets = {};
  bool sets_known = false;  // of the sets of the state
  // With what is listed; null: with nothing, or it is not known yet.
  const analysis::ComparedFindings* compared = nullptr;
  CommandLineInput line = {};
  session::UserChoices choices = {};
  std::string path_time = {};  // what a preview of the path shows; empty: there is none
  float enlarged = 1;  // of `scale`, what is for larger letters alone: it hides no small circles
  bool searched_before = false;           // what is listed, with other options
  std::array<int, 2> picture_size{0, 0};  // pixels, as a still without a size has it
};

}  // namespace haloscope::app::viewer
