#pragma once

#include "core/image.h"
#include "render/colors/tone_map.h"
#include "render/gl/gl_objects.h"

namespace haloscope::render::gl {

// The part of a framebuffer to draw into, pixels from its lower left corner.
struct Viewport {
  int x = 0, y = 0, width = 1, height = 1;
};

// The renderer's frame as a texture of linear light, and the shader that shows it: exposure, tone
// curve, sRGB and gamma, as render::tone_map computes them, so that a change of those draws no
// particle. The texture keeps its place until the frame's size changes: who fills it on the device
// (CUDA) registers light() again when set_size() returned true.
class Picture {
 public:
  Picture();

  // Makes the texture that large; true where it is another one now.
  bool set_size(int width, int height);
  // A frame of 3 channels from the host, row 0 on top.
  void upload(const ImageF& frame);
  const Texture& light() const { return light_; }
  bool empty() const { return light_.width() == 0; }

  // Draws over all of `to`, into the framebuffer that is bound; smooth where sizes differ.
  // `gamma`: display values to this power after all else; `white_ground`: on_white() after that.
  void draw(const Viewport& to, const ToneCurve& curve, double exposure, double gamma = 1,
            bool white_ground = false) const;

 private:
  Program program_;
  Name vertices_;  // core profiles draw nothing without one, empty as it is
  Texture light_;
};

}  // namespace haloscope::render::gl
