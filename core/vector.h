#pragma once

#include <array>

namespace haloscope {

// A place, direction or extent in three dimensions.
using Vec = std::array<double, 3>;

}  // namespace haloscope
