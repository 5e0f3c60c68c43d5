#include "analysis/measuring/profile_radii.h"

#include "analysis/option_parsing/option_error.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_reduce.h>

#include <algorithm>
#include <cmath>

namespace haloscope::analysis {

namespace {

constexpr double kFirstByLast = 1e-3;  // the first radius by the last, where nothing tells it

double farthest_of(const RadialPoints& points, const RadialFrame& frame) {
  using Range = tbb::blocked_range<std::uint64_t>;
  return tbb::parallel_reduce(
      Range(0, points.count), 0.0,
      [&](const Range& rows, double most) {
        for (std::uint64_t row = rows.begin(); row != rows.end(); ++row) {
          const auto place = frame.from_center(points, row);
          most = std::max(
              most, std::sqrt(place[0] * place[0] + place[1] * place[1] + place[2] * place[2]));
        }
        return most;
      },
      [](double a, double b) { return std::max(a, b); });
}

}  // namespace

double profile_reach(const Domain& domain, const std::vector<RadialPoints>& types,
                     const RadialFrame& frame, const ProfileRequest& request) {
  const double half = domain.side / 2;
  if (request.radii) {
    if (domain.periodic && (*request.radii)[1] > half)
      throw OptionError(
          fmt::format("`radii`: {:.6g} is beyond half the periodic box, {:.6g}, where "
                      "no sphere fits; choose a smaller radius",
                      (*request.radii)[1], half));
    return (*request.radii)[1];
  }
  if (domain.periodic) return half;
  double most = 0;
  for (const RadialPoints& points : types) most = std::max(most, farthest_of(points, frame));
  // A radius is needed where all particles lie at the center, and the farthest one counts.
  return most > 0 ? std::nextafter(most, 2 * most) : domain.side;
}

std::array<double, 2> profile_radii(const ProfileRequest& request, const RadiiChoice& choice,
                                    std::string& chosen) {
  if (request.radii) return *request.radii;
  const bool by_r200 = choice.r200 && 2 * *choice.r200 < choice.reach;
  const double last = by_r200 ? 2 * *choice.r200 : choice.reach;
  const char* to = by_r200           ? "twice R200"
                   : choice.periodic ? "half the box"
                                     : "the farthest particle";
  const double held = choice.enclosed.radius_of_count(kFewestOfProfile).value_or(0);
  const double softening = choice.softening.value_or(0);
  double first = std::max(held, softening);
  const char* from =
      softening >= held ? "the softening" : "the radius that holds the innermost ten particles";
  if (!(first > 0) || first >= last) {
    first = last * kFirstByLast;
    from = "a thousandth of the last one";
  }
  chosen = fmt::format("from {} to {}", from, to);
  return {first, last};
}

}  // namespace haloscope::analysis
