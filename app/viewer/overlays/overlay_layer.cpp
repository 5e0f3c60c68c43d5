#include "app/viewer/overlays/overlay_layer.h"

#include "app/viewer/overlays/overlays.h"
#include "render/gl/gl_objects.h"

#include <algorithm>
#include <string>
#include <vector>

namespace haloscope::app::viewer {

namespace {

// Of a picture whose overlays have the size of a window's, pixels. What is lower than this has
// little room for color bars above a scale bar.
constexpr double kUsualWidth = 1280, kUsualHeight = 480;
// Letters of 9 pixels can be read.
constexpr double kLeastScale = 0.7;
// Beyond this, larger than in a picture of 16384 pixels, their texture would be: they are enlarged.
constexpr double kLargestScale = 13;
constexpr double kFrame = 1.0 / 60;  // s

}  // namespace

Image8 OverlayLayers::draw(const LayerContent& content) {
  // Letters are made as large as they are drawn, so that they are crisp.
  const double by_width = std::max(0.25, content.width / kUsualWidth);
  const double usual = std::max(kLeastScale, std::min(by_width, content.height / kUsualHeight));
  const double wanted = usual * content.state.overlays.letters;
  const float scale = float(std::min(wanted, kLargestScale));
  session::State state = content.state;
  state.overlays.letters = wanted / double(scale);
  const render::gl::Framebuffer target(content.width, content.height);
  PictureFacts facts;
  facts.camera = content.camera;
  facts.epoch = content.epoch;
  facts.map_color = content.map;
  // Nobody reads what panels say and remember.
  const std::vector<LogLine> log;
  PanelMemory memory;
  PanelInput input{state,
                   &content.scene,
                   content.circled.get(),
                   &facts,
                   {},
                   log,
                   memory,
                   {},
                   [](const std::string&) {},
                   scale};
  // Which circles are drawn hangs on the picture alone, not on its letters.
  input.enlarged = scale / float(std::min(by_width, kLargestScale));
  input.colors = content.colors;
  input.slice = content.slice;
  input.compared = content.compared.get();
  if (content.circled)
    input.brushed = brushed_.of(content.circled, content.state.finding(content.circled->finder));
  UiFrame& frame = ui(scale);
  target.bind();
  target.clear_transparent();
  frame.begin(content.width, content.height, kFrame);
  draw_overlays(input, {0, 0, float(content.width), float(content.height)});
  frame.end();
  return render::gl::read_pixels(content.width, content.height, 4);
}

UiFrame& OverlayLayers::ui(float scale) {
  if (!ui_ || made_for_ != scale) {
    ui_.reset();
    made_for_ = scale;
    ui_ = std::make_unique<UiFrame>(nullptr, scale);
  }
  return *ui_;
}

}  // namespace haloscope::app::viewer
