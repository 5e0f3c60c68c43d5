#pragma once

#include "render/gl/gl_context.h"

#include <string>

struct GLFWwindow;

namespace haloscope::render::gl {

// A window of the desktop with its context, by GLFW; one at a time. Main thread only.
class WindowContext final : public Context {
 public:
  // Sizes in screen coordinates; `visible` false: for tests. Throws Error where there is no display
  // or no OpenGL 4.5 on it, saying how to go on without.
  WindowContext(int width, int height, const std::string& title, bool visible = true);
  ~WindowContext() override;

  GLFWwindow* handle() const { return window_; }

 private:
  void close();

  GLFWwindow* window_ = nullptr;
};

}  // namespace haloscope::render::gl
