#pragma once

#include "analysis/grids/grid_command.h"
#include "analysis/topology/peaks_options.h"

#include <array>
#include <optional>
#include <string>

// Texts of PeaksOptions as values. Each function throws OptionError that names the option; an empty
// text is nothing.
namespace haloscope::analysis {

// A number and what it is counted in.
struct Amount {
  enum class Of { Absolute, Mean, Ratio, Sigma };
  Of of = Of::Absolute;
  double value = 0;
};

// "abs:X", "mean:X".
std::optional<Amount> parse_threshold(const std::string& text);
// "abs:X", "mean:X", "ratio:X", "sigma:X".
std::optional<Amount> parse_persistence(const std::string& text);

// Of components, in units of the mean.
struct ComponentLevels {
  double boundary = 0, peak = 0;
};
// "82,200"; of sublevels the second one is the lower.
std::optional<ComponentLevels> parse_component_levels(const std::string& text,
                                                      compute::topology::Levels levels);

// Of voids, in units of the mean.
struct VoidLevels {
  double wall = 0;     // zones join where the pass between them is below
  double minimum = 0;  // each void has a lower one
};
// "0.2,0.2".
std::optional<VoidLevels> parse_void_levels(const std::string& text);

// "yes", "no", "x,z".
std::optional<std::array<bool, 3>> parse_closed(const std::string& text);

// What the grid of a snapshot is made of; `particles`: that it is of, for the number of cells.
GridChoice grid_choice(const PeaksOptions& options, std::uint64_t particles);

}  // namespace haloscope::analysis
