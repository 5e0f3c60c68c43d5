#pragma once

#include "analysis/finder.h"
#include "analysis/option_parsing/any_options.h"

#include <string>
#include <vector>

// Two results of one snapshot beside each other, as a state keeps it: A is what is listed, B what
// another search has found.
namespace haloscope::app::session {

enum class ShownResults { Both, First, Second, Differences };

// The words of `show_compared`, in the order of ShownResults.
const std::vector<std::string>& shown_results_words();

struct ComparedState {
  std::string finder;            // of B
  analysis::AnyOptions options;  // of its search
  ShownResults show = ShownResults::Both;
  bool operator==(const ComparedState&) const = default;
};

// Whether a plot of that name is of a comparison.
bool is_compared_plot(const std::string& plot);

// The line that asks for it, with every option written out.
std::string compare_line(const ComparedState& compared);

}  // namespace haloscope::app::session
