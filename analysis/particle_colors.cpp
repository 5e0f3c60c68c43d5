#include "analysis/particle_colors.h"

#include "analysis/finder.h"
#include "core/error.h"
#include "core/srgb.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace haloscope::analysis {

namespace {

// Hues in the manner of Okabe and Ito (2008, "Color Universal Design"), with violets in place of
// their dark blue and purple. The largest component is 1 in each, for that is what the tone curve
// takes for the light: a piece's brightness goes on telling its column density. In this order
// neighbors differ most in CIE L*a*b* to normal, protan and deutan eyes (Machado et al. 2009).
constexpr std::array<std::array<float, 3>, kPieceColors> kColors{{
    {0.373f, 0.773f, 1.000f},  // sky blue
    {1.000f, 0.694f, 0.000f},  // orange
    {0.604f, 0.361f, 1.000f},  // violet
    {0.000f, 1.000f, 0.737f},  // bluish green
    {0.392f, 0.561f, 1.000f},  // blue
    {1.000f, 0.949f, 0.278f},  // yellow
    {1.000f, 0.290f, 0.690f},  // magenta
    {1.000f, 0.447f, 0.000f},  // vermilion
}};

// Linear light of particles in no piece: filaments are still seen beside halos, and add little gray
// to the halos behind them.
constexpr float kGround = 0.035f;

void require_same_particles(bool same, const ParticleColors& colors) {
  if (same) return;
  const std::string& finder = colors.finding->finder;
  throw Error(fmt::format("the {} are those of other particles than are shown",
                          coloring_in_words(finder, colors.field)),
              "color_by", fmt::format("find {} again", finder));
}

// Values of the rows that were read.
template <class T, class F>
std::vector<float> values_read(const std::vector<T>& of_rows, std::uint64_t count,
                               const std::vector<std::uint64_t>& rejected, const OwnRows& own,
                               const ParticleColors& colors, const F& value) {
  const std::uint64_t rows = count + rejected.size();
  require_same_particles(of_rows.size() == own.total.value_or(rows), colors);
  std::vector<float> values(count);
  auto left_out = rejected.begin();
  std::size_t at = 0;
  for (std::uint64_t row = own.first; row < own.first + rows; ++row) {
    if (left_out != rejected.end() && *left_out == row)
      ++left_out;
    else
      values[at++] = value(of_rows[std::size_t(row)]);
  }
  return values;
}

// Labels that are on a device alone, where that is not the one that draws.
template <class F>
std::vector<float> resident_values(const ParticleColors& colors, int type, std::uint64_t count,
                                   const OwnRows& own, const F& value) {
  const ResidentPieces& resident = colors.finding->resident;
  std::vector<float> values(count);
  const auto found = resident.of.find(type);
  if (found == resident.of.end()) return values;
  const auto there = resident.labels.lock();
  require_same_particles(there && found->second.count == own.kept_in_total.value_or(count), colors);
  const std::vector<std::uint32_t> labels = there->download();
  const std::uint64_t first = found->second.first + own.kept_before;
  for (std::uint64_t k = 0; k < count; ++k) values[k] = value(labels[first + k]);
  return values;
}

}  // namespace

bool has_colors(const Finding& finding, const std::string& field) {
  if (field.empty()) return (finding.labels || finding.resident) && finding.pieces > 0;
  const auto found = finding.fields.find(field);
  return found != finding.fields.end() && has_values(found->second);
}

std::string coloring_in_words(const std::string& finder, const std::string& field) {
  return field.empty() ? require_finder(finder).words().found() : "values of " + field;
}

const std::array<float, 3>& display_color(std::uint64_t piece) {
  return kColors[piece % kPieceColors];
}

std::vector<float> color_values(const ParticleColors& colors, int type, std::uint64_t count,
                                const std::vector<std::uint64_t>& rejected, const OwnRows& own) {
  if (!colors.field.empty()) {
    const ParticleField& field = colors.finding->fields.at(colors.field);
    const auto found = field.values.find(type);
    constexpr float kLowest = std::numeric_limits<float>::lowest();
    if (found == field.values.end()) return std::vector<float>(count, kLowest);
    return values_read(found->second, count, rejected, own, colors,
                       [](float value) { return std::isnan(value) ? kLowest : value; });
  }
  const auto value = [](std::uint32_t piece) {
    return piece == Labels::kNone ? 0.f : float(1 + piece % kPieceColors);
  };
  if (!colors.finding->labels) return resident_values(colors, type, count, own, value);
  const auto found = colors.finding->labels->of.find(type);
  if (found == colors.finding->labels->of.end()) return std::vector<float>(count);
  return values_read(found->second, count, rejected, own, colors, value);
}

void look_unknown(compute::splotch::Appearance& appearance) {
  appearance.palette = {{kGround, kGround, kGround}, {kGround, kGround, kGround}};
}

void look_like_pieces(compute::splotch::Appearance& appearance) {
  // A power of two of colors: values meet the palette's nodes without rounding.
  appearance.color = {compute::splotch::Transform::Linear, 0, float(kPieceColors)};
  appearance.palette = {{kGround, kGround, kGround}};
  for (auto color : kColors) {
    for (float& component : color) component = srgb_to_linear(component);
    appearance.palette.push_back(color);
  }
}

compute::splotch::Ranging ranging_of(const ParticleField& field) {
  using compute::splotch::Transform;
  const auto [low, high] = field.limits;
  if (!field.logarithmic) return {Transform::Linear, float(low), float(high)};
  return {Transform::Log, float(std::log10(low)), float(std::log10(high))};
}

}  // namespace haloscope::analysis
