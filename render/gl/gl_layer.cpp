#include "render/gl/gl_layer.h"

#include "render/gl/shader_sources.h"

#include <glad/gl.h>

namespace haloscope::render::gl {

Layer::Layer() : program_("layer", kPictureVertexShader, kLayerFragmentShader) {
  std::uint32_t id = 0;
  glCreateVertexArrays(1, &id);
  vertices_ = Name(id, [](std::uint32_t array) { glDeleteVertexArrays(1, &array); });
}

void Layer::upload(const Image8& layer) {
  if (texture_.width() != layer.width || texture_.height() != layer.height)
    texture_ = Texture(layer.width, layer.height, TextureFormat::Rgba8);
  texture_.upload(layer);
}

void Layer::draw(const Viewport& to) const {
  if (texture_.width() == 0) return;
  glViewport(to.x, to.y, to.width, to.height);
  glEnable(GL_BLEND);
  glBlendEquation(GL_FUNC_ADD);
  glBlendFunc(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_FRAMEBUFFER_SRGB);
  glBindTextureUnit(0, texture_.id());
  glBindVertexArray(vertices_.get());
  glUseProgram(program_.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glDisable(GL_BLEND);
}

}  // namespace haloscope::render::gl
