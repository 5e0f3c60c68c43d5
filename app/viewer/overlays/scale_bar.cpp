#include "app/viewer/overlays/scale_bar.h"

#include <cmath>
#include <initializer_list>

namespace haloscope::app::viewer {

double round_length(double length) {
  if (!(length > 0) || !std::isfinite(length)) return 0;
  // pow of whole numbers may end a hair beside the power of ten that was meant.
  constexpr double kSlack = 1 + 1e-12;
  const double decade = std::pow(10.0, std::floor(std::log10(length * kSlack)));
  for (const double step : {5.0, 2.0})
    if (step * decade <= length * kSlack) return step * decade;
  return decade;
}

}  // namespace haloscope::app::viewer
