#pragma once

#include "render/plots/painter.h"

struct ImDrawList;

namespace haloscope::app::viewer {

// Draws into a list of Dear ImGui's, with its current letters; places are its pixels.
class ScreenPainter final : public render::Painter {
 public:
  explicit ScreenPainter(ImDrawList& list) : list_(list) {}
  void line(std::span<const render::PlotPlace> places, const render::Stroke& stroke) override;
  void fill(std::span<const render::PlotPlace> corners, render::PlotInk ink) override;
  void disc(render::PlotPlace center, double radius, render::PlotInk ink) override;
  void text(render::PlotPlace place, const std::string& words,
            const render::Lettering& letters) override;
  double text_width(const std::string& words, double size) const override;
  void push_clip(const render::PlotArea& area) override;
  void pop_clip() override;

 private:
  ImDrawList& list_;
};

}  // namespace haloscope::app::viewer
