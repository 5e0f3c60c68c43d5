#pragma once

#include "analysis/selection/named_set.h"
#include "analysis/selection/selection_choice.h"
#include "app/session/camera.h"
#include "app/session/comparing.h"
#include "app/session/layout.h"
#include "app/session/measuring_state.h"
#include "app/session/ruler.h"
#include "render/scene/map_look.h"
#include "render/scene/render_request.h"
#include "render/scene/slab_choice.h"
#include "render/scene/slice_choice.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

// All that is on screen, as plain data. Lengths are the snapshot's code units.
namespace haloscope::app::session {

using compute::splotch::Transform;
using Limits = std::array<double, 2>;

// How one particle type is shown. What is empty is chosen as `haloscope render` chooses it.
using TypeState = render::TypeChoice;
using analysis::ColorChoice;

// From linear light to the screen.
struct Tone {
  double exposure_ev = 0;           // powers of two
  std::optional<double> softening;  // of the curve (render::ToneCurve); both or none
  std::optional<double> white;
  double gamma = 1;           // display value to this power
  bool white_ground = false;  // for print: what is bright is dark ink
  bool operator==(const Tone&) const = default;
};

enum class ScaleBar { Off, Comoving, Physical };

constexpr double kSmallestLetters = 0.25, kLargestLetters = 8;

struct Overlays {
  bool color_bar = true;
  ScaleBar scale_bar = ScaleBar::Comoving;
  bool time = true;  // redshift and time
  bool box = false;
  bool axes = false;
  bool pieces = true;     // circles
  bool labels = false;    // their numbers
  bool selection = true;  // its box or sphere
  bool path = false;      // of the camera, but not in films along it
  double letters = 1;     // factor on their letters and lines, at most kLargestLetters
  bool operator==(const Overlays&) const = default;
};

// What a finder is asked, and what is done with its result.
struct FindingState {
  analysis::AnyOptions options;
  bool searched = false;  // a result belongs to this state
  std::optional<std::uint64_t> selected;
  bool color_particles = false;  // of all finders one alone
  std::string color_field;       // by a field of the finding; empty: by piece
  ColorChoice look = {};         // of that field
  // A rectangle of the plot of pairs, whose pieces are selected too; both or none.
  std::optional<Limits> births = {}, deaths = {};
  bool operator==(const FindingState&) const = default;
};
// One per finder, by its name.
std::map<std::string, FindingState> unsearched();

// What commands about colors call the slice.
inline constexpr const char* kSliceWord = "slice";

// And the map.
inline constexpr const char* kMapWord = "map";

// The first one that makes a grid; empty: there is none.
const std::string& finder_with_grid();

// The first of the list.
const std::string& usual_finder();

using analysis::SelectionKind;
using SelectionState = analysis::SelectionChoice;

struct Bookmark {
  std::string name;
  Camera camera;
  bool operator==(const Bookmark&) const = default;
};

// One of the camera path.
struct KeyState {
  double seconds = 0;
  Camera camera;
  double exposure_ev = 0;
  std::optional<Limits> limits;  // of the color, where one type is shown
  double snapshot = 0;           // place in the series, from 0
  bool operator==(const KeyState&) const = default;
};

struct State {
  std::vector<std::string> snapshots;  // one, or a series in its order
  std::size_t current = 0;             // the one that is shown

  std::optional<Camera> camera;  // none: as `haloscope render` chooses it
  bool tiling = true;            // the center wraps in a periodic box

  std::map<int, TypeState> types;  // those that differ from the defaults
  render::MapLook map;             // in place of the types' light
  Tone tone;
  Overlays overlays;
  std::map<std::string, FindingState> findings = unsearched();
  // Whose pieces are listed, circled, selected by a click, and plotted.
  std::string shown_finder = usual_finder();
  std::optional<ComparedState> compared;  // with what is listed
  render::SliceChoice slice;              // of the grid of finder_with_grid()
  render::SlabChoice slab;                // what is drawn, by where it is
  SelectionState selection;
  std::vector<analysis::NamedSet> sets;
  analysis::ShowSets show_sets = analysis::ShowSets::Off;
  std::string follow;  // the set whose middle the camera's center is; empty: none
  std::optional<ProfileState> profile;
  std::optional<PhaseState> phase;
  std::optional<Ruler> ruler;
  std::vector<Bookmark> bookmarks;
  std::vector<KeyState> path;  // by time

  int width = 1280, height = 800;  // of the window, pixels
  double ui_scale = 1;             // beside the system's content scale
  Layout layout;

  const std::string& snapshot() const;  // the one that is shown; empty: none
  TypeState type(int number) const;
  FindingState& finding(const std::string& finder) { return findings.at(finder); }
  const FindingState& finding(const std::string& finder) const { return findings.at(finder); }
  const FindingState& shown() const { return findings.at(shown_finder); }
  // Whose colors the particles have; null: their own.
  const std::string* colored_by() const;
  bool operator==(const State&) const = default;
};

// The sets that pictures can show: those that are kept, or else the selection as one.
std::vector<analysis::NamedSet> sets_of(const State& state);
// What a legend calls one of them: a kept one by its name, members of a piece "members of halo 0".
std::string shown_name(const analysis::NamedSet& set, const State& state);

// The state as `haloscope render` takes it, so that stills and films are the picture on screen, to
// the same pixels however often they are drawn. Of a tone curve, both numbers or none are taken.
render::RenderRequest to_render_request(const State& state);

// Puts what a saved state says of camera, looks and tone into a request that leaves it open, for
// --state FILE; the snapshot and sizes are the request's own. Returns the state. Throws BadFile.
State apply_state_file(const std::string& path, render::RenderRequest& request);

}  // namespace haloscope::app::session
