#pragma once

#include "analysis/measuring/measured_file.h"
#include "analysis/measuring/radial_profile.h"

#include <string>
#include <vector>

namespace haloscope::analysis {

// Where the profile is, what its velocities are relative to, and its limits of trust: a sentence
// each, for the user, for notes of plots and for heads of tables.
std::vector<std::string> profile_in_words(const RadialProfile& profile);

// Why a bin is not to be trusted: "softening few"; empty: it is.
std::string doubts_in_words(const ProfileDoubts& doubts, const char* between = " ");

// A table with a row for each series and bin. `origin`: lines for its head, such as the program and
// the files.
std::string profile_csv(const RadialProfile& profile, const std::vector<std::string>& origin);

// The same for HDF5: Edges, R200 and the like, and a group for each series.
MeasuredDatasets profile_datasets(const RadialProfile& profile);

}  // namespace haloscope::analysis
