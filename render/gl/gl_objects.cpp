#include "render/gl/gl_objects.h"

#include "core/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <glad/gl.h>

namespace haloscope::render::gl {

namespace {

GLenum channels_of(int channels) {
  return channels == 4 ? GL_RGBA : GL_RGB;
}

void fill(std::uint32_t texture, int width, int height, int channels, GLenum type,
          const void* pixels) {
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTextureSubImage2D(texture, 0, 0, 0, width, height, channels_of(channels), type, pixels);
}

std::string log_of(std::uint32_t object, bool program) {
  std::string text(4096, '\0');
  GLsizei length = 0;
  if (program)
    glGetProgramInfoLog(object, GLsizei(text.size()), &length, text.data());
  else
    glGetShaderInfoLog(object, GLsizei(text.size()), &length, text.data());
  text.resize(std::size_t(length));
  return text;
}

Name compile(const std::string& name, GLenum stage, const char* source) {
  Name shader(glCreateShader(stage), [](std::uint32_t id) { glDeleteShader(id); });
  glShaderSource(shader.get(), 1, &source, nullptr);
  glCompileShader(shader.get());
  GLint good = GL_FALSE;
  glGetShaderiv(shader.get(), GL_COMPILE_STATUS, &good);
  if (!good) throw Error("the driver refuses a shader: " + log_of(shader.get(), false), name);
  return shader;
}

}  // namespace

Texture::Texture(int width, int height, TextureFormat format) : width_(width), height_(height) {
  GLint longest = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &longest);
  if (std::max(width, height) > longest)
    throw Error(fmt::format("a picture of {} × {} pixels is larger than this OpenGL allows ({})",
                            width, height, longest),
                {}, "make the window smaller");
  std::uint32_t id = 0;
  glCreateTextures(GL_TEXTURE_2D, 1, &id);
  name_ = Name(id, [](std::uint32_t texture) { glDeleteTextures(1, &texture); });
  glTextureStorage2D(id, 1, format == TextureFormat::Rgba32F ? GL_RGBA32F : GL_RGBA8, width,
                     height);
  glTextureParameteri(id, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTextureParameteri(id, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTextureParameteri(id, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTextureParameteri(id, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

void Texture::upload(const ImageF& image) {
  fill(id(), width_, height_, image.channels, GL_FLOAT, image.pixels.data());
}

void Texture::upload(const Image8& image) {
  fill(id(), width_, height_, image.channels, GL_UNSIGNED_BYTE, image.pixels.data());
}

ImageF Texture::download() const {
  ImageF image(width_, height_, 4);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glGetTextureImage(id(), 0, GL_RGBA, GL_FLOAT, GLsizei(image.pixels.size() * sizeof(float)),
                    image.pixels.data());
  return image;
}

Buffer::Buffer(std::size_t bytes) : bytes_(bytes) {
  std::uint32_t id = 0;
  glCreateBuffers(1, &id);
  name_ = Name(id, [](std::uint32_t buffer) { glDeleteBuffers(1, &buffer); });
  glNamedBufferStorage(id, GLsizeiptr(bytes), nullptr, GL_DYNAMIC_STORAGE_BIT);
}

Program::Program(const std::string& name, const char* vertex, const char* fragment) {
  const Name first = compile(name, GL_VERTEX_SHADER, vertex);
  const Name second = compile(name, GL_FRAGMENT_SHADER, fragment);
  name_ = Name(glCreateProgram(), [](std::uint32_t id) { glDeleteProgram(id); });
  glAttachShader(id(), first.get());
  glAttachShader(id(), second.get());
  glLinkProgram(id());
  GLint good = GL_FALSE;
  glGetProgramiv(id(), GL_LINK_STATUS, &good);
  if (!good) throw Error("the driver cannot link a shader: " + log_of(id(), true), name);
}

int Program::place(const char* uniform) const {
  return glGetUniformLocation(id(), uniform);
}

void Program::set(const char* uniform, float value) const {
  glProgramUniform1f(id(), place(uniform), value);
}

void Program::set(const char* uniform, float x, float y) const {
  glProgramUniform2f(id(), place(uniform), x, y);
}

Framebuffer::Framebuffer(int width, int height) : color_(width, height, TextureFormat::Rgba8) {
  std::uint32_t id = 0;
  glCreateFramebuffers(1, &id);
  name_ = Name(id, [](std::uint32_t framebuffer) { glDeleteFramebuffers(1, &framebuffer); });
  glNamedFramebufferTexture(id, GL_COLOR_ATTACHMENT0, color_.id(), 0);
  if (glCheckNamedFramebufferStatus(id, GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
    throw Error("OpenGL cannot draw into a picture of this size",
                fmt::format("{} × {} pixels", width, height), "make it smaller");
}

void Framebuffer::bind() const {
  glBindFramebuffer(GL_FRAMEBUFFER, name_.get());
}

void Framebuffer::clear() const {
  constexpr float kBlack[] = {0, 0, 0, 1};
  glClearNamedFramebufferfv(name_.get(), GL_COLOR, 0, kBlack);
}

void Framebuffer::clear_transparent() const {
  constexpr float kNothing[] = {0, 0, 0, 0};
  glClearNamedFramebufferfv(name_.get(), GL_COLOR, 0, kNothing);
}

void bind_window(int width, int height) {
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  glViewport(0, 0, width, height);
}

void finish() {
  glFinish();
}

void clear_window() {
  glClearColor(0, 0, 0, 1);
  glDisable(GL_SCISSOR_TEST);
  glClear(GL_COLOR_BUFFER_BIT);
}

Image8 read_pixels(int width, int height, int channels) {
  Image8 image(width, height, channels);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, channels == 4 ? GL_RGBA : GL_RGB, GL_UNSIGNED_BYTE,
               image.pixels.data());
  // OpenGL's first row is the lowest.
  const std::size_t row = std::size_t(width) * std::size_t(channels);
  for (int y = 0; y < height / 2; ++y)
    std::swap_ranges(image.at(0, y), image.at(0, y) + row, image.at(0, height - 1 - y));
  return image;
}

}  // namespace haloscope::render::gl
