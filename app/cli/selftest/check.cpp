#include "app/cli/selftest/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace haloscope::app::cli {

namespace {

// float32 sums of up to some 10⁴ terms: each value within this of itself or of the mean value.
constexpr double kImageTolerance = 1e-5;

// The first figure that is off, in words.
std::string figures_differ(const std::vector<double>& is, const std::vector<double>& shall,
                           double tolerance) {
  if (is.size() != shall.size())
    return fmt::format("{} figures in place of {}", is.size(), shall.size());
  for (std::size_t i = 0; i < is.size(); ++i)
    // A NaN is not within anything.
    if (!(std::abs(is[i] - shall[i]) <= tolerance * std::abs(shall[i])))
      return fmt::format("figure {} is {:.9g}, not {:.9g}", i + 1, is[i], shall[i]);
  return "";
}

std::string images_differ(const std::vector<float>& is, const std::vector<float>& shall) {
  if (is.size() != shall.size()) return "the image has another size";
  double sum = 0;
  for (const float v : shall) sum += std::abs(double(v));
  const double mean = shall.empty() ? 0 : sum / double(shall.size());
  std::size_t off = 0;
  for (std::size_t i = 0; i < is.size(); ++i)
    if (!(std::abs(double(is[i]) - shall[i]) <=
          kImageTolerance * (std::abs(double(shall[i])) + mean)))
      ++off;
  return off == 0 ? "" : fmt::format("{} of {} values of the image differ", off, is.size());
}

}  // namespace

// FNV-1a by bytes, the lowest first.
std::uint64_t checksum(const std::vector<std::uint32_t>& values) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const std::uint32_t value : values)
    for (int shift = 0; shift < 32; shift += 8)
      hash = (hash ^ (value >> shift & 0xff)) * 0x100000001b3u;
  return hash;
}

std::string differs_from_stored(const Check& check, const Result& result) {
  const std::string figures =
      figures_differ(result.figures, check.stored.figures, check.stored.tolerance);
  if (!figures.empty()) return figures + " as stored";
  if (checksum(result.exact) != check.stored.checksum)
    return fmt::format("the checksum is {:#x}, not {:#x} as stored", checksum(result.exact),
                       check.stored.checksum);
  return "";
}

std::string differs_from_other(const Check& check, const Result& result, const Result& other) {
  const std::string figures = figures_differ(result.figures, other.figures, check.stored.tolerance);
  if (!figures.empty()) return figures + " as on the first device";
  const std::string image = images_differ(result.image, other.image);
  if (!image.empty()) return image + " from the first device's";
  return result.exact == other.exact ? "" : "results differ from the first device's";
}

std::string as_stored(const Result& result) {
  std::vector<std::string> figures;
  for (const double figure : result.figures) figures.push_back(fmt::format("{:.12g}", figure));
  return fmt::format("{{{:#x}, {{{}}}}}", checksum(result.exact), fmt::join(figures, ", "));
}

}  // namespace haloscope::app::cli
