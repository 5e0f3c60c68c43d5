#pragma once

#include "analysis/option_parsing/any_options.h"
#include "analysis/plot.h"
#include "compute/exec/resident_labels.h"
#include "core/halo_catalog.h"
#include "core/labels.h"
#include "core/vector.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

struct ClusterHierarchy;
struct FoundPeaks;
struct SizeChoice;

}  // namespace haloscope::analysis

namespace haloscope::compute::clusters {

struct CondensedTree;

}  // namespace haloscope::compute::clusters

namespace haloscope::analysis {

// Where one piece is shown, code units.
struct PiecePlace {
  Vec center{0, 0, 0};
  double radius = 0;
  bool assumed = false;  // the radius is not that of the others, for this piece has none
};

// A property of all pieces, as the list of the window shows it; NaN: this piece has none.
struct PieceColumn {
  std::string title, unit;
  std::vector<double> values;  // by piece
  bool whole = false;          // numbers without a fraction
  std::string help = {};       // a sentence, where the title does not say all
};

// Limits of no values: the low one is above the high one.
inline constexpr std::array<double, 2> kNoLimits{1, 0};

// A number per particle, to be a color.
struct ParticleField {
  std::string unit;
  bool logarithmic = false;
  // The lowest and the highest value that has a color of its own; both 0: find_in() takes
  // usual_limits(). kNoLimits where no particle has a value; find_in() sees to that.
  std::array<double, 2> limits{0, 0};
  // Per type, per row of the file; NaN: not known.
  std::map<int, std::vector<float>> values;

  // Whether a value can be shown on the field's scale.
  bool can_show(float value) const { return std::isfinite(value) && (!logarithmic || value > 0); }
};

// Where what was found can be cut again (the command `cut`): the heights of its merges.
struct CutScale {
  double low = 0, high = 0;  // of the first and the last one; low > 0
  std::optional<double> at;  // that it is cut at, beyond the ends too; none: at no height
  std::string unit;          // of heights; empty: not known
  struct Mark {
    std::string name;
    double at = 0;
  };
  std::vector<Mark> marks = {};     // heights that readers know, ascending
  std::string name = "cut height";  // what a height is, amid a sentence
  // How the cut was asked for where that is no height in `unit`: "mean:200"; empty: it was one.
  std::string asked = {};
};

// A tree whose branches are sets of particles that lie in one another; some of them are pieces.
struct FoundBranches {
  std::vector<std::uint32_t> parent;  // Labels::kNone for the first one, which holds all
  std::vector<PiecePlace> places;     // by branch
  Labels innermost;                   // of each particle the last branch that holds it
  std::vector<std::uint32_t> piece;   // that a branch is; Labels::kNone: none

  std::uint64_t count() const { return parent.size(); }
  // Of each branch, whether it is this one or lies in it.
  std::vector<bool> within(std::uint64_t branch) const;
};

// Labels of particles on the device that they were found on: those of each type side by side,
// without the rows of the file that were left out while reading.
struct ResidentPieces {
  struct Range {
    std::uint32_t first = 0, count = 0;
  };
  // Only the newest of a tree stay there (analysis/clusters/live_cuts.h).
  std::weak_ptr<const compute::ResidentLabels> labels;
  std::map<int, Range> of;  // those of each type among them

  explicit operator bool() const { return !labels.expired(); }
};

// What an analysis found in a snapshot: immutable, shared by list, circles, picture, film, still,
// selection and export. Pieces are halos, peaks, clusters; they have numbers from 0 on.
struct Finding {
  std::string finder;   // its name (finder.h)
  AnyOptions options;   // of the search
  std::string summary;  // "12 halos of 32 members or more, linking length 0.1"

  std::uint64_t pieces = 0;
  // One of them and several, where they are no pieces as the finder calls them; empty: they are.
  std::array<std::string, 2> called = {};
  std::vector<PiecePlace> places;    // by piece, the main ones first; none: no circles
  std::vector<PieceColumn> columns;  // of the list
  // Of them, the number of members, and the radius that defines a piece.
  std::optional<std::size_t> members_column, radius_column;
  // Of the particles; null: there are none, or `resident` ones alone.
  std::shared_ptr<const Labels> labels;
  ResidentPieces resident;
  std::map<std::string, ParticleField> fields;  // by name
  std::vector<Plot> plots;

  // The merges of all points, of which the pieces are some; null: there are none.
  std::shared_ptr<const ClusterHierarchy> hierarchy;
  // The same without small clusters, where pieces were chosen from it; null: they were not.
  std::shared_ptr<const compute::clusters::CondensedTree> condensed;
  // The merge tree of a grid, whose segments the pieces are; null: there is none.
  std::shared_ptr<const FoundPeaks> peaks;
  // How the least size of pieces was chosen; null: it was given.
  std::shared_ptr<const SizeChoice> sizes;
  std::vector<Labels> resolutions;  // of the particles, of each of its resolutions, if asked for
  std::shared_ptr<const FoundBranches> branches;  // null: there are none
  std::optional<CutScale> cut;                    // none: it cannot be cut again
  // False: pieces have labels and numbers of members, and no places and catalog yet, for they were
  // taken from a hierarchy without reading the snapshot.
  bool measured = true;

  // For export and selection. Members by ID where the search has read them; else the labels tell.
  HaloCatalog catalog;
  HaloMembers members;
  CatalogProvenance provenance;  // whoever writes the catalog adds the command line

  // Values that the search has computed for options that were said in another way: {"epsilon",
  // 0.01} of a linking length in mean spacings. Code units.
  std::map<std::string, double> computed;
  std::vector<std::string> files;  // of the snapshot
  // Sentences for the user, with options' names in backquotes (option_error.h).
  std::vector<std::string> notes;

  std::uint64_t bytes() const;  // of memory, about
};

// Whether both were taken from one tree, at whatever height.
bool share_tree(const Finding& one, const Finding& other);
// Whether particles have the same labels in both: those that the same options take from one tree,
// of which one may not be measured yet.
bool have_same_labels(const Finding& one, const Finding& other);

// The limits of a field's values that can be shown; kNoLimits: there is none.
std::array<double, 2> limits_of(const ParticleField& field);

// Limits that few outliers do not move: half a percent of the values lie below and above them.
std::array<double, 2> usual_limits(const ParticleField& field);

// Whether any particle has a value that can be shown, of a field that find_in() has found.
bool has_values(const ParticleField& field);

// Whether there is nothing to show: no piece, and no value of a field.
bool found_nothing(const Finding& finding);

// The plot of that name; null: there is none.
const Plot* find_plot(const Finding& finding, const std::string& name);
// The same; throws Error that lists the names, and where there is nothing in it. `who`: that asks.
const Plot& require_plot(const Finding& finding, const std::string& name, const std::string& who);

}  // namespace haloscope::analysis
