#include "render/plots/place_legend.h"

#include "render/plots/draw_layers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace haloscope::render {

namespace {

using analysis::LayerKind;

// In heights of a line.
constexpr double kSample = 1.8, kBeforeWords = 0.5, kRow = 1.25, kMargin = 0.8;
// What a legend may take of the axes at most: of their width beside them, of their height above.
constexpr double kMostBeside = 0.4, kMostAbove = 0.3;

std::vector<LegendEntry> entries_of(const analysis::Plot& plot, const PlotStyle& style) {
  std::vector<LegendEntry> all;
  // Whoever sees one thing alone knows which it is.
  if (plot.layers.size() + plot.marks.size() + std::size_t(plot.map.has_value()) < 2) return all;
  for (std::size_t k = 0; k < plot.layers.size(); ++k)
    if (!plot.layers[k].name.empty())
      all.push_back({plot.layers[k].name, &plot.layers[k], layer_ink(plot, k, style)});
  for (std::size_t k = 0; k < plot.marks.size(); ++k)
    if (!plot.marks[k].name.empty())
      all.push_back({plot.marks[k].name, nullptr, style.mark, mark_dash(k, style)});
  return all;
}

// Of crowds of points some tell where they are: this is done in every frame.
std::size_t stride(const analysis::PlotLayer& layer) {
  constexpr std::size_t kMostLooked = 4000;
  return layer.kind == LayerKind::Points ? 1 + layer.points.size() / kMostLooked : 1;
}

// How much of the plot such a box would hide.
std::size_t hidden(const analysis::Plot& plot, const PlotFrame& frame, const PlotArea& box) {
  std::size_t count = 0;
  for (const auto& layer : plot.layers)
    for (std::size_t k = 0; k < layer.points.size(); k += stride(layer)) {
      const analysis::PlotPoint& point = layer.points[k];
      const double x = frame.x.at(point.x);
      for (const double y : {point.y, point.y_low, point.y_high})
        count += box.holds({x, frame.y.at(y)});
      // A bar hides behind the legend with all of its height.
      if (layer.kind == LayerKind::Bars) {
        const double top = frame.y.at(point.y);
        count += frame.x.at(point.x_high) > box.left && frame.x.at(point.x_low) < box.right &&
                 top < box.bottom;
      }
    }
  for (const auto& mark : plot.marks) {
    const double place = (mark.across_x ? frame.x : frame.y).at(mark.at);
    count += mark.across_x ? place > box.left && place < box.right
                           : place > box.top && place < box.bottom;
  }
  return count;
}

// Whether a line from one place to another meets a box (Liang and Barsky 1984).
bool meets(const PlotPlace& from, const PlotPlace& to, const PlotArea& box) {
  double begin = 0, end = 1;
  const auto clip = [&](double start, double step, double low, double high) {
    if (step == 0) return start >= low && start <= high;
    const double a = (low - start) / step, b = (high - start) / step;
    begin = std::max(begin, std::min(a, b));
    end = std::min(end, std::max(a, b));
    return begin <= end;
  };
  return clip(from.x, to.x - from.x, box.left, box.right) &&
         clip(from.y, to.y - from.y, box.top, box.bottom);
}

// Whether a bin of a map that has a color reaches into the box.
bool has_color_in(const analysis::PlotMap& map, const PlotFrame& frame, const PlotArea& box) {
  const std::size_t rows = map.y_edges.size() - 1;
  for (std::size_t i = 0; i + 1 < map.x_edges.size(); ++i) {
    if (!(frame.x.at(map.x_edges[i + 1]) > box.left && frame.x.at(map.x_edges[i]) < box.right))
      continue;
    for (std::size_t j = 0; j < rows; ++j)
      if (!std::isnan(map.values[i * rows + j]) && frame.y.at(map.y_edges[j]) > box.top &&
          frame.y.at(map.y_edges[j + 1]) < box.bottom)
        return true;
  }
  return false;
}

// Whether anything is drawn within a box.
bool is_drawn_over(const analysis::Plot& plot, const PlotFrame& frame, const PlotArea& box) {
  if (hidden(plot, frame, box) > 0) return true;
  if (plot.map && has_color_in(*plot.map, frame, box)) return true;
  const auto line_meets = [&](double x0, double y0, double x1, double y1) {
    const PlotPlace from = frame.at(x0, y0), to = frame.at(x1, y1);
    return std::isfinite(from.x + from.y + to.x + to.y) && meets(from, to, box);
  };
  for (const auto& layer : plot.layers) {
    const bool steps = layer.kind == LayerKind::Steps, line = layer.kind == LayerKind::Line;
    for (std::size_t k = 0; k < layer.points.size(); k += stride(layer)) {
      const analysis::PlotPoint& b = layer.points[k];
      if (!line && !steps && line_meets(b.x, b.y_low, b.x, b.y_high)) return true;
      // A lower end that a logarithm has no place for lies below everything.
      if (!line && !steps && b.y_low <= 0 && !std::isfinite(frame.y.at(b.y_low)) &&
          line_meets(b.x, frame.y.limits[0], b.x, b.y_high))
        return true;
      if (steps && line_meets(b.x_low, b.y, b.x_high, b.y)) return true;
      if (k == 0) continue;
      const analysis::PlotPoint& a = layer.points[k - 1];
      if (line && line_meets(a.x, a.y, b.x, b.y)) return true;
      if (steps && line_meets(a.x_high, a.y, b.x_low, b.y)) return true;
    }
  }
  return false;
}

}  // namespace

std::size_t LegendList::rows_in(double height) const {
  return std::size_t(std::clamp(std::floor(height / row), 0., double(entries.size())));
}

std::size_t LegendList::columns_in(double width) const {
  return std::size_t(
      std::clamp(std::floor((width + between) / column), 0., double(entries.size())));
}

std::vector<LegendList> legend_lists(const analysis::Plot& plot, const PlotStyle& style,
                                     const Painter& painter) {
  std::vector<LegendList> lists;
  if (!style.legend || style.bare) return lists;
  const std::vector<LegendEntry> all = entries_of(plot, style);
  const auto is_mark = [](const LegendEntry& entry) { return !entry.layer; };
  const auto is_faint = [](const LegendEntry& entry) { return !entry.layer || entry.layer->faint; };
  const auto begin = all.begin();
  for (const auto end : {all.end(), std::find_if(begin, all.end(), is_mark),
                         std::find_if(begin, all.end(), is_faint)}) {
    const auto count = std::size_t(end - begin);
    if (count == 0 || (!lists.empty() && lists.back().entries.size() == count)) continue;
    LegendList list;
    list.entries.assign(begin, end);
    double widest = 0;
    for (const LegendEntry& entry : list.entries)
      widest = std::max(widest, painter.text_width(entry.name, style.letters));
    list.row = kRow * style.letters;
    list.sample = kSample * style.letters;
    list.words = (kSample + kBeforeWords) * style.letters;
    list.between = style.letters;
    list.column = list.words + widest + list.between;
    lists.push_back(std::move(list));
  }
  return lists;
}

double legend_margin(const PlotStyle& style) {
  return kMargin * style.letters;
}

// No room is lost where a corner is empty. Else a plot that is wide loses some of its width, and
// another one some of its height.
std::optional<LegendPlace> place_legend(const analysis::Plot& plot, const PlotFrame& usual,
                                        const LegendList& list, const PlotStyle& style) {
  const PlotArea& in = usual.inside;
  const double margin = legend_margin(style);
  LegendPlace place;
  if (const std::size_t rows = list.rows_in(in.height() - 2 * margin); rows > 0) {
    const double width = list.width(list.columns_of(rows)), height = list.row * double(rows);
    if (width <= in.width() - 2 * margin &&
        emptiest_corner(plot, usual, width, height, style).is_empty)
      return place;
  }
  // The bar of a map's colors stands there.
  if (const std::size_t rows = list.rows_in(in.height()); rows > 0 && !plot.map) {
    const double width = list.width(list.columns_of(rows)) + margin;
    if (width <= kMostBeside * in.width() && in.width() - width >= in.height()) {
      place.beside = width;
      return place;
    }
  }
  if (const std::size_t columns = list.columns_in(in.width()); columns > 0) {
    const double height = list.row * double((list.entries.size() + columns - 1) / columns);
    if (height <= kMostAbove * in.height()) {
      place.above = height;
      return place;
    }
  }
  return {};
}

LegendCorner emptiest_corner(const analysis::Plot& plot, const PlotFrame& frame, double width,
                             double height, const PlotStyle& style) {
  const double margin = legend_margin(style);
  const PlotArea& in = frame.inside;
  const double right = in.right - margin - width, left = in.left + margin;
  const double top = in.top + margin, bottom = in.bottom - margin - height;
  LegendCorner best;
  std::size_t least = SIZE_MAX;
  for (const PlotPlace corner :
       {PlotPlace{right, top}, {left, top}, {left, bottom}, {right, bottom}}) {
    const PlotArea box{corner.x, corner.y, corner.x + width, corner.y + height};
    if (!is_drawn_over(plot, frame, box)) return {box, true};
    const std::size_t count = hidden(plot, frame, box);
    if (count >= least) continue;
    least = count;
    best.box = box;
  }
  return best;
}

}  // namespace haloscope::render
