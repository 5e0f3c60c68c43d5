#include "render/plots/draw_legend.h"

#include "render/plots/draw_layers.h"
#include "render/plots/place_legend.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::render {

namespace {

using analysis::LayerKind;

constexpr double kCover = 0.75;  // of what lies below a legend

// What lies below words makes them hard to read. It shows through, for no curve may seem to end.
void clear(const PlotArea& box, const PlotStyle& style, Painter& painter) {
  const double edge = 0.3 * style.letters;
  const double left = box.left - edge, right = box.right + edge;
  const double top = box.top - edge, bottom = box.bottom + edge;
  PlotInk ground = style.ground;
  ground.alpha = std::uint8_t(kCover * ground.alpha);
  painter.fill(
      std::array<PlotPlace, 4>{{{left, top}, {right, top}, {right, bottom}, {left, bottom}}},
      ground);
}

void draw_sample(const LegendEntry& entry, double left, double y, double width,
                 const PlotStyle& style, Painter& painter) {
  const double right = left + width, middle = (left + right) / 2;
  const double unit = style.line;
  const std::array<PlotPlace, 2> level{{{left, y}, {right, y}}};
  if (!entry.layer) return painter.line(level, {entry.ink, kMarkWidth * unit, entry.dash});
  const double half = 0.35 * style.letters;
  switch (entry.layer->kind) {
    case LayerKind::Points:
      painter.line(std::array<PlotPlace, 2>{{{middle, y - half}, {middle, y + half}}},
                   {entry.ink, unit, 0});
      return painter.disc({middle, y}, kDot * unit, entry.ink);
    case LayerKind::Bars:
      return painter.fill(
          std::array<PlotPlace, 4>{
              {{left, y - half}, {right, y - half}, {right, y + half}, {left, y + half}}},
          entry.ink);
    default:
      if (entry.layer->guide) return painter.line(level, {entry.ink, unit, kDash * unit});
      return painter.line(level, {entry.ink, kMarkWidth * unit, 0});
  }
}

}  // namespace

void draw_legend(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
                 Painter& painter) {
  const std::vector<LegendList> lists = legend_lists(plot, style, painter);
  const auto chosen = std::find_if(lists.begin(), lists.end(), [&](const LegendList& list) {
    return list.entries.size() == frame.legend_names;
  });
  if (chosen == lists.end()) return;
  const LegendList& list = *chosen;
  PlotArea box;
  std::size_t rows = 0;
  if (frame.legend) {
    box = *frame.legend;
    // Beside the axes as high a list as they are, above them as wide a one.
    rows = list.rows_in(box.height());
    if (box.bottom <= frame.inside.top) {
      const std::size_t columns = std::max<std::size_t>(1, list.columns_in(box.width()));
      rows = list.columns_of(columns);
    }
    if (rows == 0) return;
  } else {
    // In columns where the frame is lower than the list; not at all where they do not fit either.
    const double margin = legend_margin(style);
    rows = list.rows_in(frame.inside.height() - 2 * margin);
    if (rows == 0) return;
    const double width = list.width(list.columns_of(rows));
    if (width > frame.inside.width() - 2 * margin) return;
    const LegendCorner corner = emptiest_corner(plot, frame, width, list.row * double(rows), style);
    box = corner.box;
    if (style.ground.alpha > 0 && !corner.is_empty) clear(box, style, painter);
  }
  for (std::size_t k = 0; k < list.entries.size(); ++k) {
    const LegendEntry& entry = list.entries[k];
    const double left = box.left + double(k / rows) * list.column;
    const double y = box.top + (double(k % rows) + 0.5) * list.row;
    draw_sample(entry, left, y, list.sample, style, painter);
    painter.text({left + list.words, y}, entry.name, {style.letters, style.ink, 0, 0.5, false});
  }
}

}  // namespace haloscope::render
