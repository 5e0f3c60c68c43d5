#pragma once

#include "core/image.h"
#include "render/gl/gl_objects.h"
#include "render/gl/gl_picture.h"

namespace haloscope::render::gl {

// A picture with transparency that lies over what is drawn, as under_layer() in
// render/colors/layers.h puts it over a picture on the host.
class Layer {
 public:
  Layer();

  // Premultiplied RGBA, row 0 on top.
  void upload(const Image8& layer);
  // Blends it over all of `to`, into the framebuffer that is bound.
  void draw(const Viewport& to) const;

 private:
  Program program_;
  Name vertices_;  // core profiles draw nothing without one, empty as it is
  Texture texture_;
};

}  // namespace haloscope::render::gl
