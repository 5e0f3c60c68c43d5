#include "render/plots/draw_legend.h"

#include "render/plots/draw_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace haloscope::render {

namespace {

using analysis::LayerKind;

// In heights of a line.
constexpr double kSample = 1.8, kRow = 1.25, kMargin = 0.8;
constexpr double kCover = 0.75;  // of what lies below a legend

struct Entry {
  std::string name;
  const analysis::PlotLayer* layer = nullptr;  // null: a marked line
  PlotInk ink;
  double dash = 0;  // of a marked line
};

std::vector<Entry> entries(const analysis::Plot& plot, const PlotStyle& style) {
  std::vector<Entry> all;
  for (std::size_t k = 0; k < plot.layers.size(); ++k)
    if (!plot.layers[k].name.empty())
      all.push_back({plot.layers[k].name, &plot.layers[k], layer_ink(plot, k, style)});
  for (std::size_t k = 0; k < plot.marks.size(); ++k)
    if (!plot.marks[k].name.empty())
      all.push_back({plot.marks[k].name, nullptr, style.mark, mark_dash(k, style)});
  return all;
}

// How much of the plot such a box would hide.
std::size_t hidden(const analysis::Plot& plot, const PlotFrame& frame, const PlotArea& box) {
  std::size_t count = 0;
  for (const auto& layer : plot.layers)
    for (const auto& point : layer.points) {
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

PlotArea emptiest_corner(const analysis::Plot& plot, const PlotFrame& frame, double width,
                         double height, double margin) {
  const PlotArea& in = frame.inside;
  const double right = in.right - margin - width, left = in.left + margin;
  const double top = in.top + margin, bottom = in.bottom - margin - height;
  PlotArea best;
  std::size_t least = SIZE_MAX;
  for (const PlotPlace corner :
       {PlotPlace{right, top}, {left, top}, {left, bottom}, {right, bottom}}) {
    const PlotArea box{corner.x, corner.y, corner.x + width, corner.y + height};
    const std::size_t count = hidden(plot, frame, box);
    if (count >= least) continue;
    least = count;
    best = box;
  }
  return best;
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

// Whether anything is drawn within a box.
bool is_drawn_over(const analysis::Plot& plot, const PlotFrame& frame, const PlotArea& box) {
  if (hidden(plot, frame, box) > 0) return true;
  for (const auto& layer : plot.layers) {
    if (layer.kind != LayerKind::Line && layer.kind != LayerKind::Steps) continue;
    for (std::size_t k = 1; k < layer.points.size(); ++k) {
      const analysis::PlotPoint &a = layer.points[k - 1], &b = layer.points[k];
      const PlotPlace from{frame.x.at(a.x), frame.y.at(a.y)}, to{frame.x.at(b.x), frame.y.at(b.y)};
      if (std::isfinite(from.x + from.y + to.x + to.y) && meets(from, to, box)) return true;
    }
  }
  return false;
}

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

void draw_sample(const Entry& entry, double left, double y, const PlotStyle& style,
                 Painter& painter) {
  const double right = left + kSample * style.letters, middle = (left + right) / 2;
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
  const std::vector<Entry> all = entries(plot, style);
  if (all.empty()) return;
  const double letters = style.letters;
  double widest = 0;
  for (const Entry& entry : all) widest = std::max(widest, painter.text_width(entry.name, letters));
  const double words = (kSample + 0.5) * letters, row = kRow * letters, margin = kMargin * letters;
  // In columns where the frame is lower than the list; not at all where they do not fit either.
  const double room = frame.inside.bottom - frame.inside.top - 2 * margin;
  const auto rows = std::size_t(std::clamp(std::floor(room / row), 0., double(all.size())));
  if (rows == 0) return;
  const std::size_t columns = (all.size() + rows - 1) / rows;
  const double column = words + widest + letters;
  const double width = double(columns) * column - letters;
  if (width > frame.inside.right - frame.inside.left - 2 * margin) return;
  const PlotArea box = emptiest_corner(plot, frame, width, row * double(rows), margin);
  if (style.ground.alpha > 0 && is_drawn_over(plot, frame, box)) clear(box, style, painter);
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double left = box.left + double(k / rows) * column;
    const double y = box.top + (double(k % rows) + 0.5) * row;
    draw_sample(all[k], left, y, style, painter);
    painter.text({left + words, y}, all[k].name, {letters, style.ink, 0, 0.5, false});
  }
}

}  // namespace haloscope::render
