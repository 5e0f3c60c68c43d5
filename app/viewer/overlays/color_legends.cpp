#include "app/viewer/overlays/color_legends.h"

#include "analysis/finder.h"
#include "analysis/particle_colors.h"
#include "app/viewer/overlays/color_bar_marks.h"
#include "app/viewer/overlays/color_strip.h"
#include "app/viewer/panels/scene_words.h"
#include "core/particles.h"
#include "core/srgb.h"
#include "core/star_color.h"
#include "io/loading/derived_fields.h"
#include "render/scene/particle_coloring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace haloscope::app::viewer {

namespace {

// Points.
constexpr float kBar = 180, kMapBar = 240, kMark = 4;
constexpr int kSteps = 64;
constexpr int kExactSteps = 256;  // of a map: as many as a byte tells apart

constexpr double kOldestGyr = 13;

// Display values at even steps of the age's logarithm.
const std::vector<std::array<float, 3>>& star_colors() {
  static const std::vector<std::array<float, 3>> colors = [] {
    std::vector<std::array<float, 3>> made;
    for (int k = 0; k <= kSteps; ++k) {
      const double age = kYoungestGyr * std::pow(kOldestGyr / kYoungestGyr, double(k) / kSteps);
      std::array<float, 3> color = star_color(age, kSolarMetals);
      for (float& component : color) component = linear_to_srgb(component);
      made.push_back(color);
    }
    return made;
  }();
  return colors;
}

// A color of light as the picture has it: on white its lightness is turned over (white_ground.h).
std::array<float, 3> shown_color(const std::array<float, 3>& color, bool white_ground) {
  if (!white_ground) return color;
  const auto [least, most] = std::minmax({color[0], color[1], color[2]});
  const float shift = 1 - least - most;
  return {color[0] + shift, color[1] + shift, color[2] + shift};
}

std::vector<std::array<float, 3>> shown_colors(std::vector<std::array<float, 3>> colors,
                                               bool white_ground) {
  for (auto& color : colors) color = shown_color(color, white_ground);
  return colors;
}

}  // namespace

void ColorLegends::draw_particles() {
  if (input_.state.map.shown)
    map_colors();
  else if (input_.colors)
    finding_colors();
  else
    type_colors();
}

void ColorLegends::bar(const ColorBarPlace& of, const std::string& title,
                       const std::vector<std::array<float, 3>>& colors,
                       const compute::splotch::Ranging& color, float points, int steps) {
  const float width = std::min(points * pen_.scale(), room_);
  ColorBarPlace place = of;
  place.left = x_;
  place.top = y_;
  this->title(title);
  draw_color_strip(pen_.list(), ImVec2(x_, y_), ImVec2(x_ + width, y_ + height()), colors, steps);
  const float below = y_ + height();
  end_strip(width);
  limits(color, below, width);
  place.right = x_ + width;
  place.bottom = y_;
  if (!place.target.empty()) input_.memory.color_bars.push_back(place);
}

void ColorLegends::title(const std::string& words) {
  for (std::size_t begin = 0; begin < words.size();) {
    std::size_t end = words.size();
    while (pen_.size_of(words.substr(begin, end - begin)).x > room_) {
      const std::size_t space = words.rfind(' ', end - 1);
      if (space == std::string::npos || space <= begin) break;
      end = space;
    }
    pen_.text(x_, y_, words.substr(begin, end - begin));
    y_ += pen_.letter_height() + (end < words.size() ? 0 : 3 * pen_.scale());
    begin = std::min(end + 1, words.size());
  }
}

void ColorLegends::end_strip(float width) {
  drawn_ = true;
  // On white the light end of a strip would be lost.
  pen_.list().AddRect(ImVec2(x_, y_), ImVec2(x_ + width, y_ + height()),
                      on_white() ? pen_.ink().edge : pen_.ink().shade);
  pen_.cover({x_, y_, x_ + width, y_ + height()});
  y_ += height() + pen_.letter_height() + 13 * pen_.scale();
}

// As they are drawn, which a scale that cannot take them changes.
void ColorLegends::limits(const compute::splotch::Ranging& color, float y, float width) {
  const auto value = [&](float limit) {
    return render::in_field_units(color.transform, double(limit));
  };
  const auto [low, high] = readable_ends(value(color.low), value(color.high), 3);
  const float low_end = x_ + pen_.size_of(low).x, high_begin = x_ + width - pen_.size_of(high).x;
  pen_.text(x_, y + kMark * pen_.scale(), low);
  pen_.text(high_begin, y + kMark * pen_.scale(), high);
  render::AxisMap axis;
  using compute::splotch::Transform;
  axis.scale = color.transform == Transform::Log     ? analysis::AxisScale::Log
               : color.transform == Transform::Asinh ? analysis::AxisScale::Asinh
                                                     : analysis::AxisScale::Linear;
  axis.limits = {value(color.low), value(color.high)};
  axis.begin = double(x_);
  axis.end = double(x_ + width);
  bool told = false;
  for (const BarMark& mark :
       color_bar_marks(axis, {low_end, high_begin, pen_.letter_height(), pen_.scale()},
                       [&](const std::string& words) { return pen_.size_of(words).x; })) {
    const float length = (mark.is_short ? 0.6f : 1.f) * kMark * pen_.scale();
    pen_.list().AddLine(ImVec2(mark.at, y), ImVec2(mark.at, y + length), pen_.ink().letters,
                        pen_.scale());
    if (mark.words.empty()) continue;
    pen_.text(mark.at - 0.5f * pen_.size_of(mark.words).x, y + kMark * pen_.scale(), mark.words);
    told = true;
  }
  if (!told && color.transform == Transform::Log)
    pen_.text(x_ + 0.5f * (width - pen_.size_of("log").x), y + kMark * pen_.scale(), "log");
}

// Of the map that is on screen: none while light or a map of something else still is.
void ColorLegends::map_colors() {
  const PictureFacts& picture = *input_.picture;
  const render::MapLook& look = input_.state.map;
  if (look.type && !input_.scene->info.types.count(*look.type))
    return title(
        fmt::format("The snapshot has no {}, whose map is chosen: choose another (map TYPE).",
                    type_name(*look.type)));
  if (!picture.map_color) return;
  if (picture.map && (picture.map_look.type != look.type || picture.map_look.field != look.field))
    return;
  bar({session::kMapWord, {}}, render::map_title(input_.scene->info, input_.scene->types, look),
      display_colors(render::palette_of(look)), render::map_color(look, *input_.picture->map_color),
      kMapBar, kExactSteps);
}

void ColorLegends::finding_colors() {
  const analysis::Finding& finding = *input_.colors.finding;
  const std::string& field = input_.colors.field;
  if (field.empty())
    return piece_colors(
        analysis::piece_word(finding, analysis::require_finder(finding.finder).words(), 1));
  const std::string& unit = finding.fields.at(field).unit;
  bar({finding.finder, {}}, unit.empty() ? field : fmt::format("{} [{}]", field, unit),
      shown_colors(display_colors(render::field_palette(input_.colors.look)), on_white()),
      render::field_color(input_.colors), kBar, kSteps);
}

// In place of the color bars: which colors pieces have, by their numbers.
void ColorLegends::piece_colors(const std::string& piece) {
  const float side = 22 * pen_.scale();
  title(fmt::format("{0} number modulo {1}; gray: in no {0}", piece, analysis::kPieceColors));
  for (std::size_t k = 0; k < analysis::kPieceColors; ++k) {
    const auto color = shown_color(analysis::display_color(k), on_white());
    const float left = x_ + float(k) * side;
    pen_.list().AddRectFilled(
        ImVec2(left, y_), ImVec2(left + side, y_ + height()),
        ImGui::ColorConvertFloat4ToU32(ImVec4(color[0], color[1], color[2], 1)));
    const std::string words = std::to_string(k);
    pen_.text(left + 0.5f * (side - pen_.size_of(words).x), y_ + height() + 2 * pen_.scale(),
              words);
  }
  end_strip(float(analysis::kPieceColors) * side);
}

void ColorLegends::type_colors() {
  for (std::size_t k = 0; k < input_.scene->names.size(); ++k) {
    const session::TypeState type = input_.state.type(input_.scene->types[k]);
    const auto& look = input_.scene->looks[k];
    if (!render::is_shown(type, look.shown) || look.color.empty()) continue;
    if (look.color == io::kStarColor)
      bar({}, input_.scene->names[k] + ": color by age [Gyr], here of the Sun's metals",
          shown_colors(star_colors(), on_white()),
          {compute::splotch::Transform::Log, float(std::log10(kYoungestGyr)),
           float(std::log10(kOldestGyr))},
          kBar, kSteps);
    if (look.color == io::kStarColor) continue;
    const int number = input_.scene->types[k];
    const compute::splotch::Ranging color =
        render::chosen_color(type, input_.scene->appearances[k].color);
    const auto known = input_.scene->info.types.find(number);
    const FieldInfo* const stored =
        known == input_.scene->info.types.end() ? nullptr : known->second.find(look.color);
    if (stored && stored->components == 3) {
      vector_colors(input_.scene->names[k], *stored, color);
      continue;
    }
    bar({type_word(*input_.scene, number), number},
        input_.scene->names[k] + ": " + look.color + unit_behind(*input_.scene, number, look.color),
        shown_colors(type.color_map.empty() ? look.palette : display_colors(type.color_map),
                     on_white()),
        color, kBar, kSteps);
  }
}

// No strip has the colors of a vector.
void ColorLegends::vector_colors(const std::string& type, const FieldInfo& field,
                                 const compute::splotch::Ranging& color) {
  const auto value = [&](float limit) {
    return render::in_field_units(color.transform, double(limit));
  };
  const auto [low, high] = readable_ends(value(color.low), value(color.high), 3);
  title(fmt::format("{}: {}{}: x, y and z are red, green and blue, {} to {}", type, field.name,
                    field.unit.empty() ? "" : " [" + field.unit + "]", low, high));
  y_ += 10 * pen_.scale();
  drawn_ = true;
}

// Sets that keep the particles' own colors have no swatch.
void ColorLegends::draw_sets() {
  if (drawn_) y_ += 3 * pen_.scale();  // a ground of its own
  const float side = pen_.letter_height(), gap = 5 * pen_.scale();
  for (const analysis::NamedSet& set : session::sets_of(input_.state)) {
    if (!set.shown) continue;
    if (set.color) {
      const auto& own = *set.color;
      const auto color = shown_color({float(own[0]), float(own[1]), float(own[2])}, on_white());
      const ImVec2 low(x_, y_ + 0.15f * side), high(x_ + 0.7f * side, y_ + 0.85f * side);
      pen_.list().AddRectFilled(
          low, high, ImGui::ColorConvertFloat4ToU32(ImVec4(color[0], color[1], color[2], 1)));
      pen_.cover({low.x, low.y, high.x, high.y});
    }
    pen_.text(x_ + side + gap, y_, session::shown_name(set, input_.state));
    y_ += side + gap;
    drawn_ = true;
  }
}

void ColorLegends::draw_slice() {
  const analysis::GridPlane& plane = *input_.slice.plane;
  if (drawn_) y_ += 3 * pen_.scale();  // a ground of its own
  std::string title =
      fmt::format("slice at {} = {}{}{}: {}", "xyz"[plane.axis], readable(plane.position),
                  plane.length_unit.empty() ? "" : " ", plane.length_unit, plane.name);
  if (!plane.unit.empty()) title += " [" + plane.unit + "]";
  bar({session::kSliceWord, {}}, title,
      display_colors(render::slice_palette(input_.slice.choice.look)),
      render::slice_color(input_.slice), kBar, kSteps);
}

}  // namespace haloscope::app::viewer
