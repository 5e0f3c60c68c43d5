#pragma once

#include "analysis/option_parsing/option_about.h"
#include "compute/grids/axis_shares.h"
#include "compute/topology/grid.h"

#include <optional>
#include <string>
#include <vector>

namespace haloscope::analysis {

// How the merge tree is found.
enum class PeaksMethod {
  Reduced,  // basins and the spanning tree of their contacts
  Triplet   // triplets of all cells (Nigmetov and Morozov); it knows no basins
};

// Which segments are the structures (compute/topology/merge_tree.h).
enum class SegmentKind { Watershed, Branch };

// What a search for peaks is asked, of a snapshot and of a bare grid alike.
struct PeaksOptions {
  std::vector<std::string> types;  // of a snapshot; empty: all
  std::string field;               // its mean; empty: density in units of the mean
  std::string grid;                // "256", "512,512,64"; empty: about one particle a cell
  compute::grids::Assign assign = compute::grids::Assign::CloudInCell;
  std::string smooth;  // "250", "2cells"; empty: not
  std::string region;  // six numbers; empty: all
  bool log = false;    // of the decimal logarithm
  compute::topology::Levels levels = compute::topology::Levels::Super;
  compute::topology::Connectivity neighbors = compute::topology::Connectivity::Fourteen;
  PeaksMethod method = PeaksMethod::Reduced;
  std::string
      closed;  // axes whose ends meet: peaks_words.h, as are the next three; empty: as box or file
  std::string threshold;    // empty: none
  std::string persistence;  // empty: none
  std::string halos;        // empty: segments by persistence
  std::string voids;        // the same; they have sublevels, see completed()
  SegmentKind segments = SegmentKind::Watershed;
  bool zero_pairs = false;
  std::optional<double> softening;  // of gravity, Plummer equivalent, in the file's own lengths

  bool operator==(const PeaksOptions&) const = default;
};

template <class V>
void visit(V& v, PeaksOptions& o) {
  using compute::grids::Assign;
  using compute::topology::Connectivity;
  using compute::topology::Levels;
  v.types("types", o.types,
          {.value = "gas,dm,…|0,1,…",
           .help = "Particles of a snapshot that are put on the grid; default: all",
           .label = "Types",
           .empty = "all",
           .hint = "all",
           .catalog_name = "types"});
  v.text("field", o.field,
         {.value = "FIELD",
          .help = "Peaks of the mean of a field; default: of density in units of the mean",
          .label = "Field",
          .empty = "none",
          .hint = "none: density",
          .catalog_name = "field"});
  v.text("grid", o.grid,
         {.value = "N|NX,NY,NZ",
          .help = "Cells along the axes; default: the power of two, up to 512, at which a cell has "
                  "about one particle",
          .label = "Cells",
          .empty = "auto",
          .hint = "one a particle",
          .usual = 1,
          .catalog_name = "grid"});
  v.choice(
      "assign", o.assign,
      {{"cic", Assign::CloudInCell},
       {"tsc", Assign::Triangular},
       {"kernel", Assign::Kernel},
       {"ngp", Assign::Nearest}},
      {.value = "cic|tsc|kernel|ngp",
       .help = "How a particle is shared among cells: cloud in cell, triangular cloud, its own "
               "smoothing kernel, or nearest cell",
       .label = "Shared as",
       .catalog_name = "assign"});
  v.text("smooth", o.smooth,
         {.value = "R|Kcells",
          .help = "Smooth by a Gaussian of this width: a length of the file, or cells as in 2cells",
          .label = "Smooth",
          .empty = "none",
          .hint = "none, 1cells, a length",
          .usual = 2,
          .catalog_name = "smooth"});
  v.text("region", o.region,
         {.value = "x0,y0,z0,x1,y1,z1",
          .help = "The box that the grid covers, in the file's lengths; default: the whole one",
          .label = "Region",
          .empty = "all",
          .hint = "all",
          .catalog_name = "region"});
  v.flag("log", o.log,
         {.help = "Take the decimal logarithm: thresholds and persistence are in decades then",
          .label = "Logarithm",
          .catalog_name = "log"});
  v.choice("levels", o.levels, {{"super", Levels::Super}, {"sub", Levels::Sub}},
           {.value = "super|sub",
            .help = "Peaks, from above; or the same of minima, from below: voids",
            .label = "Levels",
            .catalog_name = "levels"});
  v.choice("neighbors", o.neighbors,
           {{"14", Connectivity::Fourteen},
            {"6", Connectivity::Six},
            {"18", Connectivity::Eighteen},
            {"26", Connectivity::TwentySix}},
           {.value = "6|14|18|26",
            .help = "Neighbors of a cell: default 14, the edges of Freudenthal's triangulation",
            .label = "Neighbors",
            .catalog_name = "neighbors"});
  v.choice("method", o.method,
           {{"reduced", PeaksMethod::Reduced}, {"triplet", PeaksMethod::Triplet}},
           {.value = "reduced|triplet",
            .help = "The tree from basins and their contacts, or from triplets of all cells",
            .label = "Method",
            .catalog_name = "method"});
  v.text("closed", o.closed,
         {.value = "yes|no|x,y,z",
          .help = "Axes whose ends meet; default: as the snapshot's box, or as a grid's file says, "
                  "else none",
          .label = "Ends meet",
          .empty = "auto",
          .hint = "as the box",
          .catalog_name = "periodic"});
  v.text("threshold", o.threshold,
         {.value = "abs:X|mean:X",
          .help = "Leave out cells below a level: a value, or one times the mean",
          .label = "Threshold",
          .empty = "none",
          .hint = "none, mean:10",
          .usual = 3,
          .catalog_name = "threshold"});
  v.text("persistence", o.persistence,
         {.value = "abs:X|mean:X|ratio:X|sigma:X",
          .help = "Peaks that stand out less are noise: a difference, one times the mean, a ratio, "
                  "or one over the standard deviation",
          .label = "Persistence",
          .empty = "none",
          .hint = "none, mean:20, ratio:3",
          .usual = 4,
          .catalog_name = "persistence"});
  v.text("halos", o.halos,
         {.value = "BOUNDARY,PEAK",
          .help = "In their place all that is joined above BOUNDARY times the mean and somewhere "
                  "above PEAK times: 82,200",
          .label = "Halos",
          .empty = "none",
          .hint = "none, 82,200",
          .usual = 5,
          .catalog_name = "halos"});
  v.text("voids", o.voids,
         {.value = "WALL,MINIMUM",
          .help = "In their place, of sublevels, basins of minima below MINIMUM times the mean, "
                  "joined where the pass is below WALL times: 0.2,0.2; smoothed by 2cells if "
                  "nothing else is said",
          .label = "Voids",
          .empty = "none",
          .hint = "none, 0.2,0.2",
          .usual = 6,
          .catalog_name = "voids"});
  v.choice("segments", o.segments,
           {{"watershed", SegmentKind::Watershed}, {"branch", SegmentKind::Branch}},
           {.value = "watershed|branch",
            .help = "What is a peak's: cells from which it is the steepest way up, or those whose "
                    "component has it for its oldest",
            .label = "Segments",
            .catalog_name = "segments"});
  v.flag("zero_pairs", o.zero_pairs,
         {.help = "Write pairs of zero persistence too",
          .label = "Pairs of nothing",
          .catalog_name = "zero pairs"});
  v.length("softening", o.softening,
           {.value = "LENGTH",
            .help = "Of gravity, Plummer equivalent, in the file's own lengths; default: what the "
                    "snapshot notes",
            .label = "Softening"});
}

// Voids are of sublevels whatever `levels` says, and of a grid smoothed by kVoidSmoothing where
// `smooth` says nothing; all else stays as it is.
PeaksOptions completed(const PeaksOptions& options);
// By particles: with about one a cell, this Gaussian averages over 71 of them at 0.2 times the
// mean, (4 pi)^(3/2) 2^3 0.2, so that their noise is 12 % there. One of 1cells would leave 33 %.
inline constexpr const char* kVoidSmoothing = "2cells";

// Halos and voids have levels of their own; all others are told from noise by persistence.
bool takes_persistence(const PeaksOptions& options);

// Whether the tree that was made for `a` serves `b`, of the same particles or grid: they differ in
// what is taken from it alone.
bool have_one_tree(const PeaksOptions& a, const PeaksOptions& b);

// Throws OptionError for options that no search can be asked for, and for those that say nothing
// beside the others.
void check_options(const PeaksOptions& options);

}  // namespace haloscope::analysis
