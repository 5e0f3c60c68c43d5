#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace haloscope::render {

// Where things stand on a plot: pixels or points, y downwards.
struct PlotPlace {
  double x = 0, y = 0;
};

struct PlotArea {
  double left = 0, top = 0, right = 0, bottom = 0;
  double width() const { return right - left; }
  double height() const { return bottom - top; }
  bool holds(const PlotPlace& p) const {
    return p.x >= left && p.x <= right && p.y >= top && p.y <= bottom;
  }
};

struct PlotInk {
  std::uint8_t red = 0, green = 0, blue = 0, alpha = 255;
};

struct Stroke {
  PlotInk ink;
  double width = 1;
  double dash = 0;  // length of dashes and of the gaps between them; 0: none
};

struct Lettering {
  double size = 14;  // height of a line
  PlotInk ink;
  // Which part of the words stands at the place: 0 their left or upper edge, 1 the other one.
  double across = 0, down = 0;
  bool upwards = false;  // turned by 90 degrees, to be read from below; across and down turn too
};

// What a plot is drawn with: a screen, or a file.
class Painter {
 public:
  virtual ~Painter() = default;
  virtual void line(std::span<const PlotPlace> places, const Stroke& stroke) = 0;
  // A convex polygon.
  virtual void fill(std::span<const PlotPlace> corners, PlotInk ink) = 0;
  virtual void disc(PlotPlace center, double radius, PlotInk ink) = 0;
  // Words may have raised and lowered letters (rich_text.h).
  virtual void text(PlotPlace place, const std::string& words, const Lettering& letters) = 0;
  virtual double text_width(const std::string& words, double size) const = 0;
  // Nothing is drawn outside until the next pop_clip().
  virtual void push_clip(const PlotArea& area) = 0;
  virtual void pop_clip() = 0;
};

}  // namespace haloscope::render
