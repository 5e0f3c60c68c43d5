#include "render/plots/draw_axes.h"

#include "render/plots/axis_marks.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace haloscope::render {

namespace {

// In heights of a line.
constexpr double kLongMark = 0.5, kShortMark = 0.25, kMarkGap = 0.3;
constexpr double kRowOfMarks = 2.2, kColumn = 4;  // room for a mark's words
// Words are left out where they would touch their neighbors.
constexpr double kBetween = 0.5;

struct Pen {
  const PlotFrame& frame;
  const PlotStyle& style;
  Painter& painter;

  void line(PlotPlace from, PlotPlace to) const {
    painter.line(std::array{from, to}, {style.ink, style.line, 0});
  }
  double length(const AxisMark& mark) const {
    return (mark.words.empty() ? kShortMark : kLongMark) * style.letters;
  }
};

void draw_x_axis(const Pen& pen) {
  const PlotArea& in = pen.frame.inside;
  const double letters = pen.style.letters;
  const int most = std::max(2, int(in.width() / (kColumn * letters)));
  double end = -HUGE_VAL;
  for (const AxisMark& mark : axis_marks(pen.frame.x, most)) {
    const double x = pen.frame.x.at(mark.value), length = pen.length(mark);
    pen.line({x, in.bottom}, {x, in.bottom - length});
    pen.line({x, in.top}, {x, in.top + length});
    const double half = pen.painter.text_width(mark.words, letters) / 2;
    if (mark.words.empty() || x - half < end + kBetween * letters) continue;
    pen.painter.text({x, in.bottom + kMarkGap * letters}, mark.words,
                     {letters, pen.style.ink, 0.5, 0, false});
    end = x + half;
  }
}

void draw_y_axis(const Pen& pen) {
  const PlotArea& in = pen.frame.inside;
  const double letters = pen.style.letters;
  double end = HUGE_VAL;
  for (const AxisMark& mark : axis_marks(pen.frame.y, most_rows(pen.frame.y, pen.style))) {
    const double y = pen.frame.y.at(mark.value), length = pen.length(mark);
    pen.line({in.left, y}, {in.left + length, y});
    pen.line({in.right, y}, {in.right - length, y});
    if (mark.words.empty() || y + letters / 2 > end) continue;
    pen.painter.text({in.left - kMarkGap * letters, y}, mark.words,
                     {letters, pen.style.ink, 1, 0.5, false});
    end = y - letters / 2;
  }
}

void draw_titles(const analysis::Plot& plot, const Pen& pen) {
  const PlotArea& in = pen.frame.inside;
  const double letters = pen.style.letters;
  const PlotInk ink = pen.style.ink;
  if (!plot.x.title.empty())
    pen.painter.text({(in.left + in.right) / 2, in.bottom + (1 + 2 * kMarkGap) * letters},
                     plot.x.title, {letters, ink, 0.5, 0, false});
  double above = in.top - kMarkGap * letters;
  if (!plot.y.title.empty()) {
    if (pen.painter.text_width(plot.y.title, letters) > in.height()) {
      pen.painter.text({in.left, above}, plot.y.title, {letters, ink, 0, 1, false});
      above -= (1 + kMarkGap) * letters;
    } else {
      double widest = 0;
      for (const AxisMark& mark : axis_marks(pen.frame.y, most_rows(pen.frame.y, pen.style)))
        widest = std::max(widest, pen.painter.text_width(mark.words, letters));
      pen.painter.text({in.left - widest - 2 * kMarkGap * letters, (in.top + in.bottom) / 2},
                       plot.y.title, {letters, ink, 0.5, 1, true});
    }
  }
  if (!plot.title.empty())
    pen.painter.text({(in.left + in.right) / 2, above}, plot.title, {letters, ink, 0.5, 1, false});
}

}  // namespace

int most_rows(const AxisMap& axis, const PlotStyle& style) {
  return std::max(2, int(std::abs(axis.end - axis.begin) / (kRowOfMarks * style.letters)));
}

void draw_axes(const analysis::Plot& plot, const PlotFrame& frame, const PlotStyle& style,
               Painter& painter) {
  const Pen pen{frame, style, painter};
  const PlotArea& in = frame.inside;
  painter.line(std::array<PlotPlace, 5>{{{in.left, in.top},
                                         {in.right, in.top},
                                         {in.right, in.bottom},
                                         {in.left, in.bottom},
                                         {in.left, in.top}}},
               {style.ink, style.line, 0});
  draw_x_axis(pen);
  draw_y_axis(pen);
  draw_titles(plot, pen);
}

}  // namespace haloscope::render
