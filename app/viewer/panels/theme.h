#pragma once

namespace haloscope::app::viewer {

// A dark style in which the picture is the brightest thing, with letters that are 14 points high at
// `scale` 1. Call once per Dear ImGui context.
void apply_theme(float scale);

}  // namespace haloscope::app::viewer
