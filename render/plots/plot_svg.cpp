#include "render/plots/plot_svg.h"

#include "analysis/plot_csv.h"
#include "render/plots/draw_plot.h"
#include "render/plots/svg_painter.h"

namespace haloscope::render {

std::string plot_svg(const analysis::Plot& plot) {
  SvgPainter painter;
  const PlotStyle style = paper_style(1);
  const PlotFrame frame =
      lay_out(plot, fitting_limits(plot), {0, 0, kPaperWidth, kPaperHeight}, style, painter);
  draw_plot(plot, frame, style, painter);
  std::string notes;
  for (const std::string& note : plot.notes) notes += (notes.empty() ? "" : "\n") + note;
  const std::string title = plot.title.empty() ? plot.y.title + " of " + plot.x.title : plot.title;
  return painter.file(kPaperWidth, kPaperHeight, style.ground, analysis::plain_title(title), notes);
}

}  // namespace haloscope::render
