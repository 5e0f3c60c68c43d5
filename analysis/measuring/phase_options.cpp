#include "analysis/measuring/phase_options.h"

#include "analysis/measuring/option_numbers.h"
#include "analysis/option_parsing/option_checks.h"
#include "analysis/option_parsing/option_error.h"
#include "core/text_values.h"

#include <string>
#include <tuple>
#include <vector>

namespace haloscope::analysis {

void check_options(const PhaseOptions& options) {
  PhaseOptions visited = options;
  OptionChecks checks;
  visit(checks, visited);
  if (options.x.empty() && !options.y.empty())
    throw OptionError("`y` needs `x`: of one field give `x` alone");
  const bool of_two = options.x.empty() || !options.y.empty();
  if (!of_two && !(options.range_y.empty() && options.y_scale == BinScale::Auto))
    throw OptionError("`range_y` and `y_scale` are for two fields: name the second by `y`");
  phase_bins(options, of_two);
  for (const auto& [name, range, scale] :
       {std::tuple{"range_x", options.range_x, options.x_scale},
        std::tuple{"range_y", options.range_y, options.y_scale}}) {
    const auto ends = number_range(name, range);
    if (ends && scale == BinScale::Log && !((*ends)[0] > 0))
      throw OptionError(marked(name) + " must be above 0 on a logarithmic scale");
  }
}

std::array<std::size_t, 2> phase_bins(const PhaseOptions& options, bool of_two) {
  const std::size_t usual = of_two ? kUsualPhaseBins : kUsualHistogramBins;
  std::array<std::size_t, 2> bins{usual, of_two ? usual : 1};
  if (options.bins.empty()) return bins;
  try {
    const std::vector<std::string> words = parse_list("`bins`", options.bins);
    if (words.size() > (of_two ? 2 : 1))
      throw OptionError(of_two ? "`bins` is one number, or two: NX,NY"
                               : "`bins` is one number for a histogram of one field");
    for (std::size_t k = 0; k < words.size(); ++k)
      bins[k] = std::size_t(parse_count("`bins`", words[k], 1, kMostPhaseBins));
    if (of_two && words.size() == 1) bins[1] = bins[0];
  } catch (const OptionError&) {
    throw;
  } catch (const Error& error) {
    throw OptionError(error.what());
  }
  return bins;
}

}  // namespace haloscope::analysis
