#pragma once

#include <string>
#include <vector>

namespace haloscope::render {

struct Mark {
  double place = 0;   // log10
  std::string words;  // "2e12"
};

// Marks of a logarithmic axis from `low` to `high` (log10), about `most` of them at most: powers of
// ten, and 2 and 5 of each where there is room and less than two decades are seen.
std::vector<Mark> log_marks(double low, double high, int most);

}  // namespace haloscope::render
