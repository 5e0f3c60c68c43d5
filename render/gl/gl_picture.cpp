#include "render/gl/gl_picture.h"

#include "render/gl/shader_sources.h"

#include <cmath>
#include <glad/gl.h>

namespace haloscope::render::gl {

Picture::Picture() : program_("picture", kPictureVertexShader, kPictureFragmentShader) {
  std::uint32_t id = 0;
  glCreateVertexArrays(1, &id);
  vertices_ = Name(id, [](std::uint32_t array) { glDeleteVertexArrays(1, &array); });
}

bool Picture::set_size(int width, int height) {
  if (light_.width() == width && light_.height() == height) return false;
  light_ = Texture(width, height, TextureFormat::Rgba32F);
  return true;
}

void Picture::upload(const ImageF& frame) {
  set_size(frame.width, frame.height);
  light_.upload(frame);
}

void Picture::draw(const Viewport& to, const ToneCurve& curve, double exposure, double gamma,
                   bool white_ground) const {
  if (empty()) return;
  program_.set("scale", float(exposure / curve.softening));
  program_.set("inverse_white", float(1 / std::asinh(curve.white / curve.softening)));
  program_.set("enlarged", to.width != light_.width() || to.height != light_.height() ? 1.f : 0.f);
  program_.set("gamma", float(gamma));
  program_.set("white_ground", white_ground ? 1.f : 0.f);
  glViewport(to.x, to.y, to.width, to.height);
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  // Encoding is the shader's: the framebuffer takes display values.
  glDisable(GL_FRAMEBUFFER_SRGB);
  glBindTextureUnit(0, light_.id());
  glBindVertexArray(vertices_.get());
  glUseProgram(program_.id());
  glDrawArrays(GL_TRIANGLES, 0, 3);
}

}  // namespace haloscope::render::gl
