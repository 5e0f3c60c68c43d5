#pragma once

#include "core/image.h"

#include <cstdint>
#include <string>
#include <utility>

// Owners of OpenGL objects. Each must end before its context, on the context's thread.
namespace haloscope::render::gl {

// The name of one object; moves, never copies. Empty until made.
class Name {
 public:
  using Remove = void (*)(std::uint32_t);
  Name() = default;
  Name(std::uint32_t name, Remove remove) : name_(name), remove_(remove) {}
  Name(Name&& other) noexcept : name_(std::exchange(other.name_, 0)), remove_(other.remove_) {}
  Name& operator=(Name&& other) noexcept {
    std::swap(name_, other.name_);
    std::swap(remove_, other.remove_);
    return *this;
  }
  ~Name() {
    if (name_) remove_(name_);
  }
  std::uint32_t get() const { return name_; }
  explicit operator bool() const { return name_ != 0; }

 private:
  std::uint32_t name_ = 0;
  Remove remove_ = nullptr;
};

enum class TextureFormat {
  Rgba32F,  // also what CUDA can write to: it knows no textures of three channels
  Rgba8
};

// A two-dimensional texture without mipmaps and filters, clamped to its edges.
class Texture {
 public:
  Texture() = default;
  // Throws Error where the side is longer than OpenGL allows.
  Texture(int width, int height, TextureFormat format);

  // Fills it; the image has its size and 3 or 4 channels.
  void upload(const ImageF& image);
  void upload(const Image8& image);
  // What a texture of Rgba32F holds, 4 channels. Waits.
  ImageF download() const;

  std::uint32_t id() const { return name_.get(); }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  Name name_;
  int width_ = 0, height_ = 0;
};

// A buffer of bytes on the device; for pixels on their way into a texture.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(std::size_t bytes);
  std::uint32_t id() const { return name_.get(); }
  std::size_t bytes() const { return bytes_; }

 private:
  Name name_;
  std::size_t bytes_ = 0;
};

// A vertex and a fragment shader, linked. Throws Error with the driver's words.
class Program {
 public:
  Program() = default;
  Program(const std::string& name, const char* vertex, const char* fragment);
  std::uint32_t id() const { return name_.get(); }
  void set(const char* uniform, float value) const;
  void set(const char* uniform, float x, float y) const;

 private:
  int place(const char* uniform) const;
  Name name_;
};

// A picture to draw into where there is no window: 8 bits per channel.
class Framebuffer {
 public:
  Framebuffer() = default;
  Framebuffer(int width, int height);
  void bind() const;
  void clear() const;              // to black
  void clear_transparent() const;  // to nothing, for layers
  int width() const { return color_.width(); }
  int height() const { return color_.height(); }

 private:
  Texture color_;
  Name name_;
};

// What the framebuffer that is bound holds, row 0 on top, 3 channels, or 4 with transparency.
Image8 read_pixels(int width, int height, int channels = 3);

// The window's own framebuffer.
void bind_window(int width, int height);
void clear_window();

// Waits until all that was asked for is done.
void finish();

}  // namespace haloscope::render::gl
