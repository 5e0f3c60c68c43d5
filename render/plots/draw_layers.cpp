#include "render/plots/draw_layers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace haloscope::render {

namespace {

using analysis::LayerKind;
using analysis::PlotPoint;

constexpr double kArm = 3;  // half of the line at a bar's end
// Far beyond the frame is as good as at infinity, and no file has a place for that.
constexpr double kFar = 1e5;

double bounded(double place) {
  return std::clamp(place, -kFar, kFar);
}

class Layer {
 public:
  Layer(PlotInk ink, const PlotFrame& frame, const PlotStyle& style, Painter& painter)
      : ink_(ink), frame_(frame), painter_(painter), unit_(style.line) {}

  void point(const PlotPoint& point) {
    const double x = frame_.x.at(point.x), y = frame_.y.at(point.y);
    if (!std::isfinite(x)) return;
    const double top = frame_.y.at(point.y_high);
    if (!std::isfinite(y)) {
      if (std::isfinite(top)) upper_limit(x, bounded(top));
      return;
    }
    double bottom = frame_.y.at(point.y_low);
    if (std::isfinite(top)) {
      // A lower end that a logarithm has no place for lies below everything.
      if (!std::isfinite(bottom))
        bottom = std::isnan(point.y_low) ? y : frame_.inside.bottom + kFar;
      line({{{x, bounded(top)}, {x, bounded(bottom)}}});
      for (const double end : {top, bottom})
        line({{{x - kArm * unit_, bounded(end)}, {x + kArm * unit_, bounded(end)}}});
    }
    painter_.disc({x, bounded(y)}, kDot * unit_, ink_);
  }

  void path(const std::vector<PlotPoint>& points, bool guide) {
    std::vector<PlotPlace> places;
    const render::Stroke stroke{ink_, (guide ? 1 : kMarkWidth) * unit_, guide ? kDash * unit_ : 0};
    const auto end = [&] {
      if (places.size() > 1) painter_.line(places, stroke);
      places.clear();
    };
    for (const PlotPoint& point : points) {
      const PlotPlace place = frame_.at(point.x, point.y);
      if (std::isfinite(place.x) && std::isfinite(place.y))
        places.push_back({bounded(place.x), bounded(place.y)});
      else
        end();
    }
    end();
  }

  void steps(const std::vector<PlotPoint>& points) {
    std::vector<PlotPlace> places;
    for (const PlotPoint& point : points) {
      const double low = frame_.x.at(point.x_low), high = frame_.x.at(point.x_high);
      if (!std::isfinite(low) || !std::isfinite(high)) continue;
      const double y = height(point.y);
      places.push_back({bounded(low), y});
      places.push_back({bounded(high), y});
    }
    if (!places.empty()) painter_.line(places, {ink_, kMarkWidth * unit_, 0});
  }

  void bar(const PlotPoint& point) {
    const double low = frame_.x.at(point.x_low), high = frame_.x.at(point.x_high);
    const double zero = frame_.y.at(0);
    const double base = std::isfinite(zero) ? bounded(zero) : frame_.inside.bottom;
    double top = height(point.y);
    if (!std::isfinite(low) || !std::isfinite(high) || !(point.y != 0)) return;
    // The smallest number is seen too.
    if (std::abs(base - top) < unit_) top = base - (point.y > 0 ? unit_ : -unit_);
    const double left = bounded(low), right = bounded(high);
    painter_.fill(
        std::array<PlotPlace, 4>{{{left, top}, {right, top}, {right, base}, {left, base}}}, ink_);
    const double upper = frame_.y.at(point.y_high), lower = frame_.y.at(point.y_low);
    if (std::isfinite(upper) && std::isfinite(lower))
      line({{{(left + right) / 2, bounded(upper)}, {(left + right) / 2, bounded(lower)}}});
  }

 private:
  void line(const std::array<PlotPlace, 2>& ends) { painter_.line(ends, {ink_, unit_, 0}); }

  // What has no place lies at the lower end.
  double height(double y) const {
    const double place = frame_.y.at(y);
    return std::isfinite(place) ? bounded(place) : frame_.inside.bottom;
  }

  void upper_limit(double x, double top) {
    const double arm = kArm * unit_;
    line({{{x - arm, top}, {x + arm, top}}});
    line({{{x, top}, {x, top + 2 * arm}}});
    painter_.fill(
        std::array<PlotPlace, 3>{
            {{x - arm, top + 2 * arm}, {x + arm, top + 2 * arm}, {x, top + 4 * arm}}},
        ink_);
  }

  PlotInk ink_;
  const PlotFrame& frame_;
  Painter& painter_;
  double unit_;
};

}  // namespace

PlotInk layer_ink(const analysis::Plot& plot, std::size_t layer, const PlotStyle& style) {
  if (const auto& like = plot.layers[layer].paler_than) {
    constexpr std::uint8_t kPale = 90;  // of 255
    PlotInk ink = layer_ink(plot, *like, style);
    ink.alpha = kPale;
    return ink;
  }
  if (plot.layers[layer].faint) return style.faint;
  if (plot.layers[layer].guide) return style.ink;
  if (plot.layers[layer].side == analysis::ComparedSide::First) return style.first;
  if (plot.layers[layer].side == analysis::ComparedSide::Second) return style.second;
  return style.series.empty() ? style.ink : style.series[layer % style.series.size()];
}

void draw_layer(const analysis::PlotLayer& layer, PlotInk ink, const PlotFrame& frame,
                const PlotStyle& style, Painter& painter) {
  Layer drawn(ink, frame, style, painter);
  if (layer.kind == LayerKind::Line) return drawn.path(layer.points, layer.guide);
  if (layer.kind == LayerKind::Steps) return drawn.steps(layer.points);
  for (const PlotPoint& point : layer.points)
    layer.kind == LayerKind::Bars ? drawn.bar(point) : drawn.point(point);
}

double mark_dash(std::size_t mark, const PlotStyle& style) {
  constexpr double kDashes[] = {1, 0.4, 2.5};
  return kDashes[mark % 3] * kDash * style.line;
}

void draw_marks(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
                Painter& painter) {
  const PlotArea& in = frame.inside;
  for (std::size_t k = 0; k < plot.marks.size(); ++k) {
    const auto& mark = plot.marks[k];
    const double place = (mark.across_x ? frame.x : frame.y).at(mark.at);
    if (!std::isfinite(place)) continue;
    const std::array<PlotPlace, 2> upright{{{place, in.top}, {place, in.bottom}}};
    const std::array<PlotPlace, 2> level{{{in.left, place}, {in.right, place}}};
    painter.line(mark.across_x ? upright : level,
                 {style.mark, kMarkWidth * style.line, mark_dash(k, style)});
  }
}

}  // namespace haloscope::render
