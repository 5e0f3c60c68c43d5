#pragma once

#include "analysis/measuring/phase_options.h"
#include "analysis/measuring/profile_options.h"

#include <cstdint>
#include <string>

// What is measured in the snapshot that is shown, as a state keeps it.
namespace haloscope::app::session {

// A radial profile: about the center or the row of a catalog that the options tell, or about a
// piece of what was found.
struct ProfileState {
  analysis::ProfileOptions options;
  std::string finder;  // whose piece it is; empty: the options tell the center
  std::uint64_t piece = 0;
  bool operator==(const ProfileState&) const = default;
};

// Sums in bins of one field or two.
struct PhaseState {
  analysis::PhaseOptions options;
  bool operator==(const PhaseState&) const = default;
};

// Whether a plot of that name is of a profile or of sums in bins; the command that makes it.
bool is_measured_plot(const std::string& plot);
std::string how_to_measure(const std::string& plot);

// The options with a piece as the row of a catalog, which is named by its finder.
analysis::ProfileOptions about_row(const ProfileState& profile);

// The lines that ask for them, with every option written out.
std::string profile_line(const ProfileState& profile);
std::string phase_line(const PhaseState& phase);

}  // namespace haloscope::app::session
