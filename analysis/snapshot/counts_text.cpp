#include "analysis/snapshot/counts_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace haloscope::analysis {

std::string counts_text(const LoadCounts& c) {
  std::vector<std::string> parts;
  if (c.wrapped > 0) parts.push_back(fmt::format("{} wrapped into the box", c.wrapped));
  if (c.not_finite > 0)
    parts.push_back(fmt::format("{} left out (position not a finite number)", c.not_finite));
  if (c.too_far > 0)
    parts.push_back(fmt::format("{} left out (too far from all others)", c.too_far));
  if (c.wind > 0)
    parts.push_back(fmt::format("{} wind cells, not stars (formation time not positive)", c.wind));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace haloscope::analysis
