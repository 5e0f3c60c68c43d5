#pragma once

#include "analysis/color_choice.h"
#include "analysis/file_rows.h"
#include "analysis/finding.h"
#include "compute/splotch/settings.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace haloscope::analysis {

// Colors of pieces; piece n has the one at n modulo their number.
inline constexpr std::size_t kPieceColors = 8;

// What colors the particles in place of their own fields; nothing: they keep those.
struct ParticleColors {
  std::shared_ptr<const Finding> finding;
  std::string field;      // of the finding; empty: each piece has a color
  ColorChoice look = {};  // of the field

  explicit operator bool() const { return finding != nullptr; }
  // The same values of the particles, whatever they look like. So pieces keep their colors when
  // they are measured.
  bool same_values(const ParticleColors& other) const {
    if (field != other.field) return false;
    return finding == other.finding || (field.empty() && finding && other.finding &&
                                        have_same_labels(*finding, *other.finding));
  }
  bool operator==(const ParticleColors& other) const {
    return same_values(other) && look == other.look;
  }
};

// Whether a finding has such colors; `field` as above.
bool has_colors(const Finding& finding, const std::string& field);

// The display color of a piece. The hues alternate between bluish and yellowish ones, which readers
// of all common kinds of color vision tell apart, so that consecutive pieces never look alike.
const std::array<float, 3>& display_color(std::uint64_t piece);

// "halos", or "values of spacing": what colors the particles, for sentences.
std::string coloring_in_words(const std::string& finder, const std::string& field);

// One value per particle of a type as it was read, without the rows `rejected`, for
// Renderer::recolor(). Types that the finding does not tell of are in no piece; what has no
// value of the field has one below all limits. Throws Error where the file has other particles than
// those that were searched.
std::vector<float> color_values(const ParticleColors& colors, int type, std::uint64_t count,
                                const std::vector<std::uint64_t>& rejected,
                                const OwnRows& own = {});

// How a type looks of which a field says nothing: a dim gray.
void look_unknown(compute::splotch::Appearance& appearance);

// How a type looks with values of pieces: those in their colors, all else a dim gray.
void look_like_pieces(compute::splotch::Appearance& appearance);

// From the lowest to the highest value of a field.
compute::splotch::Ranging ranging_of(const ParticleField& field);

}  // namespace haloscope::analysis
