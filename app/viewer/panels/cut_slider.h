#pragma once

#include "app/viewer/panels/panel_input.h"

#include <string>

namespace haloscope::app::viewer {

// The heights at which what is listed can be cut again, on a logarithmic line that is dragged, with
// the marks of known heights. Nothing where it cannot be cut.
void show_cut_slider(const PanelInput& input);

// Asks for a cut at a height; within one drag no height twice.
void emit_cut(const PanelInput& input, double height);

// What the slider shows: "12.3 kpc/h", how it was asked for ("mean:200"), or "none".
std::string cut_in_words(const analysis::CutScale& cut);

// "distance:12.34", with six digits and no more than the last merge.
std::string cut_at(const analysis::CutScale& cut, double height);

}  // namespace haloscope::app::viewer
