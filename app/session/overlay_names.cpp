#include "app/session/overlay_names.h"

namespace haloscope::app::session {

namespace {

ScaleBar scale_bar_called(const std::string& name) {
  return name == "scale_bar"            ? ScaleBar::Comoving
         : name == "physical_scale_bar" ? ScaleBar::Physical
                                        : ScaleBar::Off;
}

template <class O>
auto& overlay_flag(O& o, const std::string& name) {
  return name == "color_bar"                   ? o.color_bar
         : name == "time"                      ? o.time
         : name == "box"                       ? o.box
         : name == "axes"                      ? o.axes
         : name == "labels"                    ? o.labels
         : name == "path"                      ? o.path
         : name == "pieces" || name == "halos" ? o.pieces  // its name in older recordings
                                               : o.selection;
}

}  // namespace

const std::vector<std::string>& overlay_names() {
  static const std::vector<std::string> names{
      "color_bar", "scale_bar", "physical_scale_bar", "time", "box", "axes",
      "pieces",    "labels",    "selection",          "path"};
  return names;
}

bool is_shown(const Overlays& overlays, const std::string& name) {
  if (name == "scale_bar") return overlays.scale_bar != ScaleBar::Off;
  const ScaleBar bar = scale_bar_called(name);
  return bar == ScaleBar::Off ? overlay_flag(overlays, name) : overlays.scale_bar == bar;
}

void show_overlay(Overlays& overlays, const std::string& name, bool on) {
  const ScaleBar bar = scale_bar_called(name);
  if (bar == ScaleBar::Off)
    overlay_flag(overlays, name) = on;
  else
    overlays.scale_bar = on ? bar : ScaleBar::Off;
}

}  // namespace haloscope::app::session
