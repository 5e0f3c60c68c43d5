#include "render/plots/svg_painter.h"

#include "render/plots/rich_text.h"

#include <fmt/format.h>

#include <string_view>

namespace haloscope::render {

namespace {

// Parts of a line's height, as DejaVu Sans has them: size of the letters, and their base line.
constexpr double kEm = 0.86, kBase = 0.8;
// Of the size of the letters: most of them, the narrow and the wide ones.
constexpr double kUsual = 0.63, kNarrow = 0.38, kWide = 0.95;
constexpr std::string_view kNarrowLetters = " .,:;'|!()[]fijlrt/-", kWideLetters = "mwMW%@";

// Hundredths of a point, without zeros at the end.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string color(const char* attribute, PlotInk ink) {
  std::string text =
      fmt::format(" {}=\"#{:02x}{:02x}{:02x}\"", attribute, ink.red, ink.green, ink.blue);
  if (ink.alpha < 255) text += fmt::format(" {}-opacity=\"{:.3f}\"", attribute, ink.alpha / 255.);
  return text;
}

// Control characters have no place in XML, not even escaped.
std::string escaped(std::string_view words) {
  std::string text;
  for (const char c : words) {
    if (c == '&')
      text += "&amp;";
    else if (c == '<')
      text += "&lt;";
    else if (c == '>')
      text += "&gt;";
    else if (static_cast<unsigned char>(c) >= 32 || c == '\n')
      text += c;
  }
  return text;
}

std::string places_in_words(std::span<const PlotPlace> places) {
  std::string text;
  for (const PlotPlace& place : places)
    text += (text.empty() ? "" : " ") + number(place.x) + "," + number(place.y);
  return text;
}

const char* anchor(double across) {
  return across < 0.25 ? "start" : across > 0.75 ? "end" : "middle";
}

}  // namespace

void SvgPainter::line(std::span<const PlotPlace> places, const Stroke& stroke) {
  body_ += fmt::format("<polyline points=\"{}\" fill=\"none\"{} stroke-width=\"{}\"",
                       places_in_words(places), color("stroke", stroke.ink), number(stroke.width));
  if (stroke.dash > 0) body_ += fmt::format(" stroke-dasharray=\"{}\"", number(stroke.dash));
  body_ += "/>\n";
}

void SvgPainter::fill(std::span<const PlotPlace> corners, PlotInk ink) {
  // Bars that touch must not show a seam.
  const char* edges = corners.size() == 4 ? " shape-rendering=\"crispEdges\"" : "";
  body_ += fmt::format("<polygon points=\"{}\"{}{}/>\n", places_in_words(corners),
                       color("fill", ink), edges);
}

void SvgPainter::disc(PlotPlace center, double radius, PlotInk ink) {
  body_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", number(center.x),
                       number(center.y), number(radius), color("fill", ink));
}

void SvgPainter::text(PlotPlace place, const std::string& words, const Lettering& letters) {
  const double base = (kBase - letters.down) * letters.size, em = kEm * letters.size;
  const PlotPlace at =
      letters.upwards ? PlotPlace{place.x + base, place.y} : PlotPlace{place.x, place.y + base};
  body_ += fmt::format(
      "<text xml:space=\"preserve\" x=\"{0}\" y=\"{1}\" font-size=\"{2}\" text-anchor=\"{3}\"{4}",
      number(at.x), number(at.y), number(em), anchor(letters.across), color("fill", letters.ink));
  if (letters.upwards)
    body_ += fmt::format(" transform=\"rotate(-90 {} {})\"", number(at.x), number(at.y));
  body_ += ">";
  double shift = 0;  // of the pieces so far, downwards
  for (const TextRun& run : text_runs(words)) {
    const double wanted = run.level > 0 ? -kRaised * em : run.level < 0 ? kLowered * em : 0;
    if (run.level == 0 && shift == 0) {
      body_ += escaped(run.words);
      continue;
    }
    body_ += fmt::format("<tspan dy=\"{}\" font-size=\"{}\">{}</tspan>", number(wanted - shift),
                         number(run.level ? kScriptSize * em : em), escaped(run.words));
    shift = wanted;
  }
  body_ += "</text>\n";
}

double SvgPainter::text_width(const std::string& words, double size) const {
  double width = 0;
  for (const TextRun& run : text_runs(words))
    for (const char c : run.words) {
      // The further bytes of a letter beyond ASCII.
      if ((static_cast<unsigned char>(c) & 0xC0) == 0x80) continue;
      const bool narrow = kNarrowLetters.find(c) != std::string_view::npos;
      const bool wide = kWideLetters.find(c) != std::string_view::npos;
      width += (narrow ? kNarrow : wide ? kWide : kUsual) * (run.level ? kScriptSize : 1);
    }
  return width * kEm * size;
}

void SvgPainter::push_clip(const PlotArea& area) {
  const int clip = ++clips_;
  body_ += fmt::format(
      "<clipPath id=\"clip{0}\"><rect x=\"{1}\" y=\"{2}\" width=\"{3}\" height=\"{4}\"/>"
      "</clipPath>\n<g clip-path=\"url(#clip{0})\">\n",
      clip, number(area.left), number(area.top), number(area.width()), number(area.height()));
}

void SvgPainter::pop_clip() {
  body_ += "</g>\n";
}

std::string SvgPainter::file(double width, double height, PlotInk ground, const std::string& title,
                             const std::string& description) const {
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
      "font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n",
      number(width), number(height));
  if (!title.empty()) text += "<title>" + escaped(title) + "</title>\n";
  if (!description.empty()) text += "<desc>" + escaped(description) + "</desc>\n";
  if (ground.alpha > 0)
    text += fmt::format("<rect width=\"{}\" height=\"{}\"{}/>\n", number(width), number(height),
                        color("fill", ground));
  return text + body_ + "</svg>\n";
}

}  // namespace haloscope::render
