#pragma once

#include "render/plots/painter.h"

#include <string>

namespace haloscope::render {

// Draws into the text of an SVG file. Widths of words are estimates, for the reader's letters are
// not known; words are anchored, so that they stand where they should all the same.
class SvgPainter final : public Painter {
 public:
  void line(std::span<const PlotPlace> places, const Stroke& stroke) override;
  void fill(std::span<const PlotPlace> corners, PlotInk ink) override;
  void disc(PlotPlace center, double radius, PlotInk ink) override;
  void text(PlotPlace place, const std::string& words, const Lettering& letters) override;
  double text_width(const std::string& words, double size) const override;
  void push_clip(const PlotArea& area) override;
  void pop_clip() override;

  // What was drawn, as a whole file of that size in points, on that ground. `title` and
  // `description`: plain text.
  std::string file(double width, double height, PlotInk ground, const std::string& title,
                   const std::string& description) const;

 private:
  std::string body_;
  int clips_ = 0;
};

}  // namespace haloscope::render
